#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/explain/dump_value.hpp>
#include <hbm/explain/error_table.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/texts.hpp>
#include <hbm/explain/word_notes.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hbm::inline v0 {

/// Returns `buffer`, `code`, `scratch`, `reservation`, `hole`, or `freed buffer` if the free is not in effect yet.
[[nodiscard]] constexpr std::string_view kind_in_words(block_kind kind) noexcept {
    switch (kind) {
    case block_kind::hole: return detail::texts::hole;
    case block_kind::data: return detail::texts::buffer;
    case block_kind::code: return detail::texts::code;
    case block_kind::scratch: return detail::texts::scratch;
    case block_kind::reservation: return detail::texts::reservation;
    case block_kind::deferred: return detail::texts::waiting_buffer;
    }
    return "block";
}

namespace detail {

/// Returns a block as text: `buffer 'x'`, `code 'step'`, `reservation`.
[[nodiscard]] inline std::string block_in_words(const dumped_block& block) {
    const std::string_view noun = block.kind == block_kind::reservation ? texts::reservation
                                  : block.name.empty()                  ? texts::block_without_name
                                                                        : texts::block_with_name;
    return filled(noun, {{"kind", std::string(kind_in_words(block.kind))}, {"name", block.name}});
}

/// Returns the reasons why a block can be neither moved nor evicted, a comma before each; "" if there are none.
[[nodiscard]] inline std::string wall_in_words(const dumped_block& block) {
    std::string text;
    if (block.pins != 0)
        text += filled(block.pins == 1 ? texts::pinned_once : texts::pinned_times,
                       {{"times", counted(block.pins, "time")}});
    if (block.runs != 0)
        text += filled(texts::used_until, {{"runs", counted(block.runs, "run")}, {"fence", block.until.number}});
    if (block.half_moved) text += texts::half_moved;
    if (block.kind == block_kind::deferred) text += texts::freed_but_waiting;
    if (block.kind == block_kind::reservation) text += texts::holds_scratch;
    if (block.wall && text.empty()) text += texts::may_not_be_moved;
    return text;
}

[[nodiscard]] inline std::string neighbour_in_words(const std::optional<dumped_block>& block, std::string_view end) {
    if (!block) return std::string(end);
    return filled(block->wall ? texts::wall_neighbour : texts::neighbour,
                  {{"block", block_in_words(*block)},
                   {"size", size_in_words(block->where.size)},
                   {"reasons", block->wall ? wall_in_words(*block).substr(2) : std::string()}});
}

/// Returns an age after a comma, in events if no run followed; "" if the age is unknown.
[[nodiscard]] inline std::string age_in_words(const std::optional<allocation_age>& age) {
    if (!age) return {};
    return filled(age->runs == 0 ? texts::age_in_events : texts::age_in_runs,
                  {{"runs", counted(age->runs, "run")}, {"events", counted(age->events, "event")}});
}

/// Returns the line of a block or an offer: its place, and what is said of it.
[[nodiscard]] inline std::string block_line(const extent& where, std::string block, std::string notes) {
    return filled(texts::block_line, {{"size", right_aligned(size_in_words(where.size), 9)},
                                      {"offset", right_aligned(grouped_digits(where.offset), 16)},
                                      {"block", block},
                                      {"notes", notes}});
}

/// Returns a heading: `Largest holes (10 of 34, 1.22G in all):`.
template <class Item>
[[nodiscard]] std::string heading(std::string_view name, const shown_items<Item>& list, bool with_bytes = true) {
    const bool is_whole = list.items.size() == list.count;
    return filled(list.count == 0 ? texts::empty_list
                  : with_bytes    ? (is_whole ? texts::whole_list_of_bytes : texts::part_of_list_of_bytes)
                                  : (is_whole ? texts::whole_list : texts::part_of_list),
                  {{"heading", std::string(name)},
                   {"shown", list.items.size()},
                   {"count", grouped_digits(list.count)},
                   {"bytes", size_in_words(list.bytes)}});
}

[[nodiscard]] inline std::string map_in_words(const allocation_dump& dumped) {
    return filled(texts::map, {{"size", size_in_words(dumped.managed)},
                               {"cell", size_in_words(dumped.managed / 100)},
                               {"map", dumped.map},
                               {"legend", std::string(texts::map_legend)},
                               {"reserved", size_in_words(dumped.reserved)},
                               {"reservable", size_in_words(dumped.reservable)}});
}

[[nodiscard]] inline std::string allocations_in_words(const allocation_dump& dumped) {
    std::string text = heading(texts::allocations_heading, dumped.allocations);
    for (const dumped_block& block : dumped.allocations.items)
        text += block_line(block.where, block_in_words(block), age_in_words(block.age));
    return text;
}

[[nodiscard]] inline std::string growth_in_words(const dumped_tag& entry) {
    if (entry.micro_bytes_a_step.value_or(0) == 0) return {};
    return filled(texts::grows, {{"rate", rate_in_words(*entry.micro_bytes_a_step)},
                                 {"start", filled(entry.since_step == 0 ? texts::since_start : texts::since_step,
                                                  {{"step", grouped_digits(entry.since_step)}})}});
}

[[nodiscard]] inline std::string tags_in_words(const allocation_dump& dumped) {
    std::string text = heading(texts::tags_heading, dumped.tags);
    for (const dumped_tag& entry : dumped.tags.items) {
        const std::uint64_t steps = entry.oldest_steps.value_or(0);
        const std::string_view name = entry.is_programs    ? texts::tag_of_programs
                                      : entry.name.empty() ? texts::tag_without_name
                                                           : texts::tag_with_name;
        text +=
            filled(texts::tag_line,
                   {{"size", right_aligned(size_in_words(entry.bytes), 9)},
                    {"blocks", right_aligned(counted(entry.blocks, "block"), 16)},
                    {"tag", filled(name, {{"name", entry.name}})},
                    {"oldest", steps == 0 ? std::string() : filled(texts::oldest, {{"steps", counted(steps, "step")}})},
                    {"growth", growth_in_words(entry)}});
    }
    return text;
}

[[nodiscard]] inline std::string holes_in_words(const allocation_dump& dumped) {
    std::string text = heading(texts::holes_heading, dumped.holes);
    for (const dumped_hole& hole : dumped.holes.items)
        text += filled(texts::hole_line, {{"size", right_aligned(size_in_words(hole.where.size), 9)},
                                          {"offset", right_aligned(grouped_digits(hole.where.offset), 16)},
                                          {"below", neighbour_in_words(hole.below, texts::bottom_of_memory)},
                                          {"above", neighbour_in_words(hole.above, texts::top_of_memory)}});
    return text;
}

[[nodiscard]] inline std::string program_in_words(const dumped_program& program) {
    const std::string_view state = program.running ? texts::running : program.loaded ? texts::loaded : texts::evicted;
    const std::string_view use = program.uses == 0   ? texts::never_run
                                 : program.idle == 0 ? texts::used_last
                                                     : texts::used_before;
    const bool spills = program.spilled != 0;
    return filled(
        texts::program_line,
        {{"state", left_aligned(state, 7)},
         {"name", program.name},
         {"code", size_in_words(program.code)},
         {"scratch", size_in_words(program.scratch)},
         {"spilled", spills ? filled(texts::spilled, {{"bytes", size_in_words(program.spilled)}}) : std::string()},
         {"use", filled(use, {{"uses", counted(program.uses, "use")}, {"calls", counted(program.idle, "call")}})},
         {"time", time_in_words(program.reload_nanoseconds)}});
}

[[nodiscard]] inline std::string programs_in_words(const allocation_dump& dumped) {
    if (dumped.programs.count == 0) return {};
    bool all_are_evicted = dumped.programs.items.size() == dumped.programs.count;
    for (const dumped_program& program : dumped.programs.items)
        all_are_evicted = all_are_evicted && !program.loaded && !program.running;
    std::string text = all_are_evicted
                           ? filled(texts::all_programs_evicted, {{"count", grouped_digits(dumped.programs.count)},
                                                                  {"bytes", size_in_words(dumped.programs.bytes)}})
                           : heading(texts::programs_heading, dumped.programs);
    for (const dumped_program& program : dumped.programs.items) text += program_in_words(program);
    return text;
}

[[nodiscard]] inline std::string walls_in_words(const allocation_dump& dumped) {
    std::string text = heading(texts::walls_heading, dumped.walls);
    for (const dumped_block& wall : dumped.walls.items)
        text += block_line(wall.where, block_in_words(wall), wall_in_words(wall));
    if (!dumped.blocks_move) text += texts::nothing_moves;
    if (!dumped.programs_leave) text += texts::nothing_leaves;
    return text;
}

[[nodiscard]] inline std::string frees_in_words(const allocation_dump& dumped) {
    if (dumped.pending_frees.count == 0) return {};
    std::string text = heading(texts::frees_heading, dumped.pending_frees);
    for (const dumped_block& block : dumped.pending_frees.items)
        text += block_line(block.where, block_in_words(block),
                           filled(block.until.number != 0 ? texts::free_waits_for_fence : texts::free_waits,
                                  {{"fence", block.until.number}}));
    return text;
}

[[nodiscard]] inline std::string runs_in_words(const allocation_dump& dumped) {
    if (dumped.runs.count == 0) return {};
    std::string text = heading(texts::runs_heading, dumped.runs, false);
    for (const dumped_run& run : dumped.runs.items)
        text += filled(texts::run_line, {{"fence", run.over.number},
                                         {"name", run.name},
                                         {"blocks", counted(run.holds, "block")},
                                         {"time", time_in_words(run.nanoseconds)}});
    return text;
}

[[nodiscard]] inline std::string donations_in_words(const dumped_donations& donations) {
    if (donations.offered == 0) return {};
    return filled(texts::donations, {{"offered", grouped_digits(donations.offered)},
                                     {"taken", grouped_digits(donations.taken)},
                                     {"kept", grouped_digits(donations.kept)},
                                     {"left", grouped_digits(donations.not_taken)}});
}

[[nodiscard]] inline std::string head_in_words(const allocation_dump& dumped) {
    const std::string code = runtime_code(dumped.why.reason);
    return filled(texts::dump_head, {{"message", dumped.message},
                                     {"code", code.empty() ? code : filled(texts::runtime_code_on, {{"code", code}})},
                                     {"device", dumped.device},
                                     {"manager", dumped.manager},
                                     {"quantum", size_in_words(dumped.quantum)}});
}

[[nodiscard]] inline std::string text_of(const allocation_dump& dumped) {
    return head_in_words(dumped) + to_text(dumped.ledger) + map_in_words(dumped) + allocations_in_words(dumped) +
           tags_in_words(dumped) + holes_in_words(dumped) + programs_in_words(dumped) + walls_in_words(dumped) +
           frees_in_words(dumped) + runs_in_words(dumped) + donations_in_words(dumped.donations);
}

}  // namespace detail

/// Returns the dump as text: message, ledger, map in a line of 100 characters, the lists that are not empty, glossary.
[[nodiscard]] inline std::string to_text(const allocation_dump& dumped, word_notes notes = word_notes::added) {
    const std::string text = detail::text_of(dumped);
    return notes == word_notes::added ? text + "\n" + words_explained(text) : text;
}

}  // namespace hbm::inline v0
