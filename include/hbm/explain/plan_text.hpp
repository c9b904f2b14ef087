#pragma once

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/texts.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/state/memory_view.hpp>
#include <hbm/state/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::inline v0 {

/// Returns a price and the least price that is possible, if it is known.
[[nodiscard]] inline std::string price_in_words(std::uint64_t nanoseconds, std::uint64_t lower_bound) {
    const std::string price = time_in_words(nanoseconds);
    if (nanoseconds == 0 || lower_bound == 0) return price;
    std::string least = time_in_words(lower_bound);
    if (least == price) least = std::to_string(lower_bound) + " ns";
    return filled(lower_bound >= nanoseconds ? detail::texts::nothing_costs_less : detail::texts::nothing_under,
                  {{"price", price}, {"least", least}});
}

[[nodiscard]] constexpr std::string_view in_words(infeasibility proof) noexcept {
    switch (proof) {
    case infeasibility::too_few_bytes: return detail::texts::proof_of_bytes;
    case infeasibility::walls: return detail::texts::proof_of_walls;
    case infeasibility::no_arrangement: return detail::texts::proof_of_arrangements;
    case infeasibility::wrong_call: return detail::texts::proof_of_call;
    case infeasibility::unknown: break;
    }
    return detail::texts::no_proof;
}

/// Returns a line for each step, in order, and a line for the sum. `memory` is the memory before the plan.
template <class Quanta>
[[nodiscard]] std::string to_text(const plan& steps, const memory_view<Quanta>& memory) {
    const auto name = [](const char* label) { return *label == 0 ? std::string() : " '" + std::string(label) + "'"; };
    const auto program_name = [&](std::uint32_t slot) {
        return slot < memory.programs().size() ? name(memory.name_of(memory.programs()[slot].label)) : std::string();
    };
    const auto moved_block = [&](const step& move) -> std::string {
        for (const block_view& block : memory.blocks()) {
            if (block.where.offset != move.from || block.where.size != move.bytes) continue;
            if (block.kind == block_kind::code || block.kind == block_kind::scratch)
                return filled(block.kind == block_kind::code ? detail::texts::code_of_program
                                                             : detail::texts::scratch_of_program,
                              {{"name", program_name(block.owner)}});
            return filled(detail::texts::named_buffer, {{"name", name(memory.name_of(static_cast<tag>(block.owner)))}});
        }
        return std::string(detail::texts::absent_block);  // moved there by an earlier step, or absent
    };
    if (steps.steps.empty()) return std::string(detail::texts::empty_plan);
    std::string text;
    for (std::size_t at = 0; at < steps.steps.size(); ++at) {
        const step& next = steps.steps[at];
        const bool moves = next.what == step_kind::move;
        text += filled(next.what == step_kind::wait          ? detail::texts::wait_step
                       : !moves                              ? detail::texts::evict_step
                       : next.purpose == step_purpose::aside ? detail::texts::move_aside_step
                                                             : detail::texts::move_step,
                       {{"number", at + 1},
                        {"fence", next.to},
                        {"name", moves ? std::string() : program_name(next.subject)},
                        {"block", moves ? moved_block(next) : std::string()},
                        {"bytes", size_in_words(next.bytes)},
                        {"from", size_in_words(next.from)},
                        {"to", size_in_words(next.to)},
                        {"copies", counted(next.copies, "copy", "copies")},
                        {"time", time_in_words(next.nanoseconds)}});
    }
    return text +
           filled(detail::texts::price_of_plan, {{"price", price_in_words(steps.nanoseconds, steps.lower_bound)}});
}

template <class Memory>
[[nodiscard]] std::string to_text(const plan& steps, const Memory& memory) {
    return to_text(steps, memory.view());
}
/// Returns the result of a search as text: the plan, or the reason why there is none.
template <class Memory>
[[nodiscard]] std::string to_text(const planning_result& result, const Memory& memory) {
    if (result.found) return to_text(*result.found, memory);
    return filled(detail::texts::no_plan, {{"proof", std::string(in_words(result.proof))}});
}

}  // namespace hbm::inline v0
