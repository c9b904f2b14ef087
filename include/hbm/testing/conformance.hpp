#pragma once

/// The conformance suite for a placement of your own. Depends on no test framework.
///
///     for (std::uint64_t seed = 1; seed <= 200; ++seed)
///         if (const auto outcome = hbm::testing::conformance<my_fit>(seed, 60); !outcome.ok())
///             puts(describe(outcome).c_str());

#include <hbm/testing/outcome.hpp>
#include <hbm/testing/placement_suite.hpp>

#include <cstdint>
#include <limits>

namespace hbm::inline v0::testing {

/// Returns a capacity in quanta: mostly small, sometimes 0 or at the limit of the width.
[[nodiscard]] constexpr std::uint64_t any_capacity(random_numbers& random, std::uint64_t max_quanta) noexcept {
    // Small memories make full ones, and full ones find errors within few steps. Empty ones and those at the limit of
    // the width are rare, but they are where arithmetic goes wrong.
    switch (random.below(16)) {
    case 0: return random.below(4);
    case 1: return max_quanta - random.below(2);
    case 2: return max_quanta / 2 + random.below(3);
    default: return 1 + random.below(random.once_in(2) ? 40 : 300);
    }
}

/// Runs a random story of `steps` steps on a placement: place, release, relocate, occupy, shrink, reserve, extend.
/// After each step, the blocks tile the arena, sums equal a recount, and every block is in its place.
/// A failed call leaves the placement unchanged, and a refused request fits nowhere.
/// Cost: O(steps x blocks).
template <placement P>
[[nodiscard]] outcome conformance(std::uint64_t seed, std::uint32_t steps) {
    // The story ends at the first broken rule: afterwards model and placement differ, and all that follows would be
    // noise.
    random_numbers random(seed);
    const std::uint64_t capacity = any_capacity(random, std::numeric_limits<typename P::quanta>::max());
    erased_placement_of<P> subject(P(static_cast<typename P::quanta>(capacity)));
    placement_story<typename P::quanta> story(subject, abilities_to_test<P>, capacity, seed);
    outcome result{.broken = story.look(), .subject = P::name.c_str(), .seed = seed};
    while (result.ok() && result.step < steps) {
        ++result.step;
        result.broken = story.step();
    }
    return result;
}

}  // namespace hbm::inline v0::testing
