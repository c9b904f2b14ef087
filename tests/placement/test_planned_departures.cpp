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

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <testing/seeds.hpp>
#include <vector>

namespace hbm::test::planned_departures_tests {

namespace {

/// A line of a step: a request of a size, or, with size 0, the free of the request at a line of this step.
struct line {
    std::uint32_t size = 0;
    std::size_t frees = 0;
};

std::vector<line> random_step(testing::random_numbers& random) {
    std::vector<line> made;
    std::vector<std::size_t> live;
    const std::size_t requests = 12 + random.below(20);
    for (std::size_t asked = 0; asked < requests || !live.empty();) {
        if (asked < requests && (live.empty() || random.below(5) < 3)) {
            live.push_back(made.size());
            made.push_back({static_cast<std::uint32_t>(1 + random.below(9)), 0});
            ++asked;
        } else {
            const std::size_t which = random.below(live.size());
            made.push_back({0, live[which]});
            live[which] = live.back();
            live.pop_back();
        }
    }
    return made;
}

/// Blocks as the test knows them, by what `place` has returned.
struct lying {
    block_index block;
    std::uint32_t begin;
    std::uint32_t end;
};

template <class P>
class departing_program {
public:
    departing_program(std::uint64_t seed, std::uint32_t capacity, const sequence_plan& plan)
        : random_(seed * 2 + 1), memory_(capacity) {
        memory_.follow(plan);
    }

    /// Runs a step, with departures in one event of `rarity`; what went wrong, or null.
    const char* run(const std::vector<line>& step, std::uint64_t rarity) {
        std::vector<std::vector<block_index>> asked(step.size());
        for (std::size_t at = 0; at < step.size(); ++at) {
            const bool departs = random_.once_in(rarity);
            const std::uint64_t how = departs ? random_.below(5) : 0;
            if (departs && how == 0) continue;  // left out; a free is then late
            const std::size_t which = departs && how == 1 ? random_.below(step.size()) : at;  // another instead
            if (step[which].size == 0) {
                for (const block_index block : asked[step[which].frees]) release(block);
                asked[step[which].frees].clear();
                continue;
            }
            const int times = departs && how == 2 ? 2 : 1;
            const std::uint32_t size =
                departs && how == 3 ? static_cast<std::uint32_t>(1 + random_.below(12)) : step[which].size;
            for (int time = 0; time < times; ++time) {
                const block_index block = ask({.length = size,
                                               .alignment = departs && how == 4 ? 4U : 1U,
                                               .from = P::search_end,
                                               .at = P::search_end});
                if (wrong_ != nullptr) return wrong_;
                if (block != no_block) asked[which].push_back(block);
            }
        }
        for (const std::vector<block_index>& left : asked)
            for (const block_index block : left) late_.push_back(block);
        while (!late_.empty() && !random_.once_in(3)) {
            const std::size_t which = random_.below(late_.size());
            release(late_[which]);
            late_[which] = late_.back();
            late_.pop_back();
        }
        return wrong_;
    }

    [[nodiscard]] std::uint64_t followed() const { return memory_.followed(); }

private:
    block_index ask(const need<std::uint32_t>& n) {
        // The same blocks in the same places, under the placement alone.
        P alone = static_cast<const P&>(memory_);
        const block_index block = memory_.place(n);
        if (block == no_block) {
            if (alone.place(n) != no_block) wrong_ = "a request failed that the placement alone would have placed";
            return block;
        }
        const std::uint32_t begin = memory_.map().offset(block);
        const lying made{block, begin, begin + n.length};
        if (made.end > memory_.map().capacity()) wrong_ = "a block ends beyond the memory";
        if (begin % n.alignment != 0) wrong_ = "a block is ill aligned";
        for (const lying& other : live_)
            if (made.begin < other.end && other.begin < made.end) wrong_ = "two blocks overlap";
        live_.push_back(made);
        return block;
    }
    void release(block_index block) {
        live_.erase(std::find_if(live_.begin(), live_.end(), [&](const lying& each) { return each.block == block; }));
        memory_.release(block);
    }

    testing::random_numbers random_;
    planned<P> memory_;
    std::vector<lying> live_;
    std::vector<block_index> late_;
    const char* wrong_ = nullptr;
};

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
    departing_program<P> program(seed, capacity, plan);
    const std::uint64_t rarity = 2 + random.below(60);
    testing::outcome found{.subject = "planned", .seed = seed};
    while (found.ok() && found.step < steps) {
        ++found.step;
        if (const char* const wrong = program.run(step, rarity)) found.broken = wrong;
    }
    if (program.followed() > most_followed) most_followed = program.followed();
    return found;
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
