#pragma once

#include <hbm/explain/words.hpp>
#include <hbm/state/memory_view.hpp>
#include <hbm/state/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>

namespace hbm {

[[nodiscard]] inline std::string price_in_words(std::uint64_t nanoseconds, std::uint64_t lower_bound) {
    const std::string price = time_in_words(nanoseconds);
    if (nanoseconds == 0 || lower_bound == 0) return price;
    if (lower_bound >= nanoseconds) return price + ", and nothing costs less";
    const std::string least = time_in_words(lower_bound);
    return price + "; nothing under " + (least == price ? std::to_string(lower_bound) + " ns" : least);
}

[[nodiscard]] inline const char* in_words(infeasibility proof) {
    switch (proof) {
    case infeasibility::too_few_bytes:
        return "too few bytes are free, even with everything removed that may be removed";
    case infeasibility::walls:
        return "what must stay leaves no stretch that is long enough";
    case infeasibility::no_arrangement:
        return "no arrangement that moves and evictions can reach has room";
    case infeasibility::wrong_call:
        return "the call itself is invalid";
    case infeasibility::unknown:
        break;
    }
    return "unknown: none was found, but one may still exist";
}

/// Returns a line for each step, in order, and a line for the sum. `memory` is the memory before the plan.
template <class Quanta>
[[nodiscard]] std::string to_text(const plan& steps, const memory_view<Quanta>& memory) {
    const auto quoted = [](const char* name) { return *name == 0 ? std::string() : " '" + std::string(name) + "'"; };
    const auto program_name = [&](std::uint32_t slot) {
        return slot < memory.programs().size() ? quoted(memory.name_of(memory.programs()[slot].label)) : std::string();
    };
    const auto block_name = [&](const step& move) -> std::string {
        for (const block_view& block : memory.blocks()) {
            if (block.where.offset != move.from || block.where.size != move.bytes) continue;
            if (block.kind == block_kind::code) return "the code of program" + program_name(block.owner);
            if (block.kind == block_kind::scratch) return "the scratch of program" + program_name(block.owner);
            return "buffer" + quoted(memory.name_of(static_cast<tag>(block.owner)));
        }
        return "a block";  // moved there by an earlier step, or absent
    };
    std::string text;
    for (std::size_t at = 0; at < steps.steps.size(); ++at) {
        const step& next = steps.steps[at];
        text += std::to_string(at + 1) + ". ";
        if (next.what == step_kind::wait) {
            text += "Wait for fence " + std::to_string(next.to) + " (" + size_in_words(next.bytes) + " returns)";
        } else if (next.what == step_kind::evict) {
            text += "Evict program" + program_name(next.subject) + " (" + size_in_words(next.bytes) + ")";
        } else {
            text += "Move " + block_name(next) + " (" + size_in_words(next.bytes) + " from " +
                    size_in_words(next.from) + " to " + size_in_words(next.to) + " in " + std::to_string(next.copies) +
                    (next.copies == 1 ? " copy" : " copies") + ")" +
                    (next.purpose == step_purpose::aside ? ", to make way for another" : "");
        }
        text += ": " + time_in_words(next.nanoseconds) + "\n";
    }
    if (steps.steps.empty()) return "Nothing has to be done.\n";
    return text + "In all " + price_in_words(steps.nanoseconds, steps.lower_bound) + ".\n";
}

template <class Memory>
[[nodiscard]] std::string to_text(const plan& steps, const Memory& memory) {
    return to_text(steps, memory.view());
}
/// Returns the result of a search as text: the plan, or the reason why there is none.
template <class Memory>
[[nodiscard]] std::string to_text(const planning_result& result, const Memory& memory) {
    if (result.found) return to_text(*result.found, memory);
    return "Nothing makes room (" + std::string(in_words(result.proof)) + ").\n";
}

}  // namespace hbm
