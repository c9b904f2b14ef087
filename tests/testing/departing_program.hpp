#pragma once

/// Programs that repeat a step and depart from it at random. Nothing may overlap, and no request may fail that the
/// placement below would place in the same state.

#include <hbm/core/request.hpp>
#include <hbm/testing/outcome.hpp>
#include <hbm/testing/random.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::test {

/// A line of a step: a request of a size, or, with size 0, the free of the request at a line of this step.
struct line {
    std::uint32_t size = 0;
    std::size_t frees = 0;
};

inline std::vector<line> random_step(testing::random_numbers& random) {
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

/// A program that repeats steps and departs from them at random, on a memory that is `P` and more.
template <class P, class Memory>
class departing_program {
public:
    departing_program(std::uint64_t seed, const Memory& memory) : random_(seed * 2 + 1), memory_(memory) {}

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
    Memory memory_;
    std::vector<lying> live_;
    std::vector<block_index> late_;
    const char* wrong_ = nullptr;
};

/// Runs a program's step so many times, until something goes wrong. `most_followed` is raised to how many blocks went
/// where a plan said.
template <class Program>
testing::outcome run_steps(Program program, const std::vector<line>& step, std::uint64_t rarity, std::uint32_t steps,
                           testing::outcome found, std::uint64_t& most_followed) {
    while (found.ok() && found.step < steps) {
        ++found.step;
        if (const char* const wrong = program.run(step, rarity)) found.broken = wrong;
    }
    if (program.followed() > most_followed) most_followed = program.followed();
    return found;
}

}  // namespace hbm::test
