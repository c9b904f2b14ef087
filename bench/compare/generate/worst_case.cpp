#include <hbm/explain/filled_text.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>

#include <array>
#include <bit>
#include <vector>

#include "compare/generate/adversaries/attack_best_fit.hpp"
#include "compare/generate/adversaries/attacks.hpp"
#include "compare/generate/generate.hpp"
#include "compare/generate/texts.hpp"

namespace hbm::trace {

namespace {

constexpr std::array parameters{
    parameter{"attack", 2, 0, 3, "on 1: first fit, 2: best fit, 3: buddy; 0: Robson's sequence, on best fit"},
    parameter{"live", 112, 8, 512, "blocks of the smallest size that may be live at a time"},
    parameter{"largest", 8, 2, 64, "the largest size, as a multiple of the smallest; at most a quarter of live"},
    parameter{"smallest", 512, 1, gib, "the smallest size", true},
};

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

/// Returns the error of values that make an attack ineffective. Each attack needs a `live` of four times `largest`,
/// that on best fit a `largest` of 6. Robson's sequence and the attack on buddy need a power of two.
std::string find_error(const settings& given) {
    const std::uint64_t attack = given["attack"];
    const std::uint64_t live = given["live"];
    const std::uint64_t largest = given["largest"];
    const auto failed = [&](std::string_view text) {
        return filled(text, {{"attack", attack}, {"live", live}, {"largest", largest}, {"least", 4 * largest}});
    };
    if (attack == 2 && largest < 6) return failed(texts::attack_needs_six);
    if ((attack == 0 || attack == 3) && !std::has_single_bit(largest)) return failed(texts::attack_needs_power);
    if (live / 4 < largest) return failed(texts::attack_needs_live);
    return {};
}

void write(const settings& given, trace_draft& draft) {
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

}  // namespace

/// Worst cases from theory: adversaries that observe the places of blocks, recorded while they attack a placement. Its
/// requests are the same for every seed, the times are not.
/// Cost: O(live log largest) rows, on best fit O(live^2).
const generator worst_case{
    .name = "worst_case",
    .summary = "the worst that theory knows: attack=0 for all that do not move, 1 first fit, 2 best fit, 3 buddy",
    .device = "",
    .parameters = parameters,
    .write = write,
    .find_error = find_error,
    .is_for_unlimited = true,
};

}  // namespace hbm::trace
