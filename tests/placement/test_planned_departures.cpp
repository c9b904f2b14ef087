// Programs that repeat a step and depart from it at random: nothing overlaps, and no request fails that the placement
// below would place in the same state.

#include <hbm/pack/plan_sequence.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/planned.hpp>
#include <hbm/testing/outcome.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <testing/departing_program.hpp>
#include <testing/seeds.hpp>
#include <vector>

namespace hbm::test::planned_departures_tests {

namespace {

known_sequence repeated(const std::vector<line>& step, int times) {
    known_sequence made;
    made.ask(3);
    for (int time = 0; time < times; ++time) {
        std::vector<std::uint32_t> asked(step.size());
        for (std::size_t at = 0; at < step.size(); ++at) {
            if (step[at].size != 0)
                asked[at] = made.ask(step[at].size);
            else
                made.free(asked[step[at].frees]);
        }
    }
    return made;
}

/// `most_followed` is raised to how many blocks went where the plan said.
template <class P>
testing::outcome depart(std::uint64_t seed, std::uint32_t steps, std::uint64_t& most_followed) {
    testing::random_numbers random(seed);
    const std::vector<line> step = random_step(random);
    const sequence_plan plan = plan_for(repeated(step, 6), {.max_steps = 0});
    const auto capacity = static_cast<std::uint32_t>(random.once_in(3) ? P::unlimited : 20 + random.below(80));
    planned<P> memory(capacity);
    memory.follow(plan);
    const std::uint64_t rarity = 2 + random.below(60);
    return run_steps(departing_program<P, planned<P>>(seed, memory), step, rarity, steps,
                     {.subject = "planned", .seed = seed}, most_followed);
}

}  // namespace

TEST_CASE("whatever departs from the plan, nothing overlaps and nothing fails that need not") {
    std::uint64_t followed = 0;
    for_each_seed(400, 12,
                  [&](std::uint64_t seed, std::uint32_t steps) { return depart<best_fit>(seed, steps, followed); });
    for_each_seed(100, 12,
                  [&](std::uint64_t seed, std::uint32_t steps) { return depart<first_fit>(seed, steps, followed); });
    if (tries_all_seeds()) CHECK(followed > 100);
    followed = 0;
    for_each_seed(100, 12, [&](std::uint64_t seed, std::uint32_t steps) {
        return depart<from_the_top_t<best_fit>>(seed, steps, followed);
    });
    if (tries_all_seeds()) CHECK(followed > 100);
}

}  // namespace hbm::test::planned_departures_tests
