#pragma once

/// The conformance suite: does a placement or a manager of yours keep all the rules that ours keep? Depends on no test
/// framework.
///
///     for (std::uint64_t seed = 1; seed <= 200; ++seed)
///         if (const auto found = hbm::testing::conformance<my_fit>(seed, 60); !found.ok())
///         puts(describe(found).c_str());

#include <hbm/testing/manager_suite.hpp>
#include <hbm/testing/placement_suite.hpp>

#include <cstdint>

namespace hbm::testing {

/// Capacities that stories are told in, in quanta: mostly small, now and then empty or at the limits of the width.
[[nodiscard]] constexpr std::uint64_t any_capacity(random_numbers& random, std::uint64_t max_quanta) noexcept {
    switch (random.below(16)) {
    case 0:
        return random.below(4);
    case 1:
        return max_quanta - random.below(2);
    case 2:
        return max_quanta / 2 + random.below(3);
    default:
        return 1 + random.below(random.once_in(2) ? 40 : 300);
    }
}

/// Tells one random story of `steps` steps about a placement: place, release, relocate, occupy, shrink, reserve,
/// extend, as far as it can, in an arena whose capacity the seed decides. After every step the blocks tile the arena,
/// all sums equal a recount, every block is where it should be, a failed call left the placement equal to a copy taken
/// before, and a request that failed fits nowhere. O(steps x blocks).
template <placement P>
[[nodiscard]] outcome conformance(std::uint64_t seed, std::uint32_t steps) {
    random_numbers random(seed);
    const std::uint64_t capacity = any_capacity(random, std::numeric_limits<typename P::quanta>::max());
    placement_under_test<P> subject(capacity);
    placement_story story(subject, capacity, seed);
    outcome found{.broken = story.look(), .subject = P::name.c_str(), .seed = seed};
    while (found.ok() && found.step < steps) {
        ++found.step;
        found.broken = story.step();
    }
    return found;
}

/// The same about a manager: allocate, free, import, pin, unpin, sync, load, unload, evict, run, fork, with hostile
/// sizes and bad handles. After every step, besides: handles are good as long as they should be and no longer, pinned
/// blocks stay, buffers are never evicted, sizes and tags are kept, reservations are what the programs in memory need,
/// what was relieved had to be, and what failed could not be helped. If the device copies, every buffer's bytes are
/// what was written into it. Whatever the donation policy is offered, it chooses a donor that is there and long enough.
/// O(steps x blocks x buffers).
template <class Manager>
[[nodiscard]] outcome conformance_manager(std::uint64_t seed, std::uint32_t steps) {
    random_numbers random(seed);
    memory_spec spec;
    spec.quantum = random.once_in(2) ? default_quantum : std::uint64_t{1} << random.below(10);
    const bool small = requires {
        requires copies<std::remove_cvref_t<decltype(std::declval<Manager&>().device())>>;
    };
    const std::uint64_t quanta =
        small ? 1 + random.below(80) : any_capacity(random, std::numeric_limits<typename Manager::quanta>::max());
    const std::uint64_t most = ~std::uint64_t{0} / spec.quantum;
    spec.capacity = (quanta < most ? quanta : most) * spec.quantum;
    if (random.once_in(8)) spec.top_reserved = random.up_to(spec.capacity);
    const auto salt = static_cast<std::uint32_t>(random.once_in(2) ? 0 : random.next());
    manager_under_test<Manager> subject(spec, salt);
    manager_story story(subject, spec, salt, seed);
    outcome found{.broken = story.look(), .subject = Manager::full_name.c_str(), .seed = seed};
    while (found.ok() && found.step < steps) {
        ++found.step;
        found.broken = story.step();
        if (found.ok()) found.broken = subject.check_donation(seed + found.step);
    }
    return found;
}

}  // namespace hbm::testing
