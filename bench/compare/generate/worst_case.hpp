#pragma once
// Worst cases from theory: adversaries that observe the places of blocks, recorded while they attack a placement.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/generate/adversaries/memory_under_attack.hpp"
#include "compare/generate/parameters.hpp"
#include "compare/generate/trace_draft.hpp"

namespace hbm::trace {

/// Parameters of `worst_case`.
inline constexpr std::array worst_case_parameters{
    parameter{"attack", 2, 0, 3, "on 1: first fit, 2: best fit, 3: buddy; 0: Robson's sequence, on best fit"},
    parameter{"live", 112, 8, 512, "blocks of the smallest size that may be live at a time"},
    parameter{"largest", 8, 2, 64, "the largest size, as a multiple of the smallest; at most a quarter of live"},
    parameter{"smallest", 512, 1, gib, "the smallest size", true},
};

/// Returns the error of values that make an attack ineffective. Each attack needs a `live` of four times `largest`,
/// that on best fit a `largest` of 6. Robson's sequence and the attack on buddy need a power of two.
std::string refuse_worst_case(const settings& given);

/// Writes the attack on a memory as rows: sizes times `unit`, with a tag for short or long lives.
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

/// Attacks a placement and writes its requests; the rows are the same for every seed, the times are not.
/// Cost: O(live log largest) rows, on best fit O(live^2).
void write_worst_case(const settings& given, trace_draft& draft);

}  // namespace hbm::trace
