#pragma once
// The worst that theory knows: adversaries that see where blocks go, recorded while they attack a placement.

#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/attack_best_fit.hpp>
#include <hbm/testing/attack_buddy.hpp>
#include <hbm/testing/attack_first_fit.hpp>

#include <array>
#include <bit>
#include <cstdint>
#include <string>
#include <vector>

#include "generate/parameters.hpp"
#include "generate/trace_draft.hpp"

namespace hbm::trace {

/// Parameters of `worst_case`.
inline constexpr std::array worst_case_parameters{
    parameter{"attack", 2, 0, 3, "on 1: first fit, 2: best fit, 3: buddy; 0: Robson's sequence, on best fit"},
    parameter{"live", 112, 8, 512, "blocks of the smallest size that may be live at a time"},
    parameter{"largest", 8, 2, 64, "the largest size, as a multiple of the smallest; at most a quarter of live"},
    parameter{"smallest", 512, 1, gib, "the smallest size", true},
};

/// With which values an attack would do nothing, or not what it is said to do: each needs a `live` of four times
/// `largest`, that on best fit a `largest` of 6, and Robson's sequence and the attack on buddy a power of two.
inline std::string refuse_worst_case(const settings& given) {
    const std::uint64_t attack = given["attack"];
    const std::uint64_t live = given["live"];
    const std::uint64_t largest = given["largest"];
    const std::string beside = " with attack=" + decimal(attack);
    if (attack == 2 && largest < 6)
        return "found `largest=" + decimal(largest) + "`, expected largest from 6 to 64" + beside;
    if ((attack == 0 || attack == 3) && !std::has_single_bit(largest))
        return "found `largest=" + decimal(largest) + "`, expected largest as a power of two from 2 to 64" + beside;
    if (live / 4 < largest)
        return "found `live=" + decimal(live) + "`, expected live from " + decimal(4 * largest) +
               " to 512 with largest=" + decimal(largest);
    return {};
}

/// The rows of what was done to a memory: sizes times `unit`, tagged as long as they are short or long.
template <placement P>
void write_attack(const testing::memory_under_attack<P>& memory, std::uint64_t unit, trace_draft& draft) {
    std::vector<draft_buffer> buffers;
    for (const testing::attack_step& step : memory.steps()) {
        draft.wait(1 + draft.random.below(20));
        if (step.is_free)
            draft.free(buffers[step.block]);
        else
            buffers.push_back(
                draft.alloc(memory[step.block].size == 1 ? "smallest" : "larger", memory[step.block].size * unit));
    }
}

/// Attacks a placement and writes what was done; the rows are the same for every seed, the times are not. O(live log
/// largest) rows, on best fit O(live^2).
inline void write_worst_case(const settings& given, trace_draft& draft) {
    const std::uint64_t live = given["live"];
    const std::uint64_t largest = given["largest"];
    if (given["attack"] == 1) {
        testing::memory_under_attack<first_fit> memory(live);
        testing::attack_first_fit(memory, largest);
        write_attack(memory, given["smallest"], draft);
    } else if (given["attack"] == 3) {
        testing::memory_under_attack<buddy> memory(live);
        testing::attack_buddy(memory, largest);
        write_attack(memory, given["smallest"], draft);
    } else {
        testing::memory_under_attack<best_fit> memory(live);
        if (given["attack"] == 2)
            testing::attack_best_fit(memory, largest);
        else
            testing::run_robson_sequence(memory, largest);
        write_attack(memory, given["smallest"], draft);
    }
}

}  // namespace hbm::trace
