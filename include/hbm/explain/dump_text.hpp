#pragma once

#include <hbm/explain/block_kind_words.hpp>
#include <hbm/explain/dump_map.hpp>
#include <hbm/explain/dump_value.hpp>
#include <hbm/explain/word_notes.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm {

namespace detail {

[[nodiscard]] inline std::string_view miss_in_words(donation_miss why) {
    switch (why) {
    case donation_miss::no_output_of_its_size:
        return "no output has its size";
    case donation_miss::outputs_were_taken:
        return "all outputs of its size took over other inputs";
    case donation_miss::not_chosen:
        return "an output of its size was allocated instead, by policy or because of its partner";
    }
    return "";
}

/// Returns a block as text: `buffer 'x'`, `code 'step'`, `reservation`.
[[nodiscard]] inline std::string block_in_words(const dumped_block& block) {
    std::string text{kind_in_words(block.kind)};
    if (block.kind != block_kind::reservation)
        text += block.name.empty() ? std::string(" without a name") : " '" + block.name + "'";
    return text;
}

/// Returns the reasons why a block can be neither moved nor evicted, a comma before each; "" if there are none.
[[nodiscard]] inline std::string wall_in_words(const dumped_block& block) {
    std::string text;
    if (block.pins != 0) text += ", pinned " + (block.pins == 1 ? "once" : counted(block.pins, "time"));
    if (block.runs != 0)
        text +=
            ", used by " + counted(block.runs, "run") + " in flight until fence " + std::to_string(block.until.number);
    if (block.half_moved) text += ", half moved";
    if (block.kind == block_kind::deferred) text += ", freed but waiting";
    if (block.kind == block_kind::reservation) text += ", holds the scratch of programs";
    if (block.wall && text.empty()) text += ", may not be moved";
    return text;
}

[[nodiscard]] inline std::string neighbour_in_words(const std::optional<dumped_block>& block, const char* end) {
    if (!block) return end;
    std::string text = block_in_words(*block) + " of " + size_in_words(block->where.size);
    if (block->wall) text += " (a wall: " + wall_in_words(*block).substr(2) + ")";
    return text;
}

/// Returns an age after a comma, in events if no run followed; "" if the age is unknown.
[[nodiscard]] inline std::string age_in_words(const std::optional<allocation_age>& age) {
    if (!age) return {};
    return ", " + (age->runs == 0 ? "" : counted(age->runs, "run") + " and ") + counted(age->events, "event") + " old";
}

[[nodiscard]] inline std::string place_in_words(const extent& where) {
    return right_aligned(size_in_words(where.size), 9) + " at " + right_aligned(grouped_digits(where.offset), 16);
}

/// Returns a heading: `Largest holes (10 of 34, which are 1.22G):`.
template <class Item>
[[nodiscard]] std::string heading(std::string_view name, const shown_items<Item>& list, bool with_bytes = true) {
    std::string text = "\n" + std::string(name) + " (";
    if (list.count == 0) return text + "none)\n";
    if (list.items.size() != list.count) text += std::to_string(list.items.size()) + " of ";
    text += grouped_digits(list.count);
    if (with_bytes) text += ", " + size_in_words(list.bytes) + " in all";
    return text + "):\n";
}

[[nodiscard]] inline std::string map_in_words(const allocation_dump& dumped) {
    return "\nMemory from 0 to " + size_in_words(dumped.managed) + ", " + size_in_words(dumped.managed / 100) +
           " a character:\n" + dumped.map + "\n" + map_legend + "\n";
}

[[nodiscard]] inline std::string allocations_in_words(const allocation_dump& dumped) {
    std::string text = heading("Largest allocations", dumped.allocations);
    for (const dumped_block& block : dumped.allocations.items)
        text += place_in_words(block.where) + "  " + block_in_words(block) + age_in_words(block.age) + "\n";
    return text;
}

[[nodiscard]] inline std::string tags_in_words(const allocation_dump& dumped) {
    std::string text = heading("By tag", dumped.tags);
    for (const dumped_tag& entry : dumped.tags.items) {
        text += right_aligned(size_in_words(entry.bytes), 9) + " in " +
                right_aligned(counted(entry.blocks, "block"), 16) + "  ";
        text += entry.is_programs    ? std::string("code of programs")
                : entry.name.empty() ? std::string("buffers without a tag")
                                     : "tag '" + entry.name + "'";
        if (entry.oldest_steps.value_or(0) != 0)
            text += ", the oldest " + counted(*entry.oldest_steps, "step") + " old";
        if (entry.micro_bytes_a_step.value_or(0) != 0)
            text += ", grows by " + rate_in_words(*entry.micro_bytes_a_step) + " a step since " +
                    (entry.since_step == 0 ? std::string("the start") : "step " + grouped_digits(entry.since_step));
        text += "\n";
    }
    return text;
}

[[nodiscard]] inline std::string holes_in_words(const allocation_dump& dumped) {
    std::string text = heading("Largest holes", dumped.holes);
    for (const dumped_hole& hole : dumped.holes.items)
        text += place_in_words(hole.where) + "  between " + neighbour_in_words(hole.below, "the bottom of memory") +
                " and " + neighbour_in_words(hole.above, "the top of memory") + "\n";
    return text;
}

[[nodiscard]] inline std::string programs_in_words(const allocation_dump& dumped) {
    if (dumped.programs.count == 0) return {};
    std::string text = heading("Programs", dumped.programs);
    bool all_are_evicted = dumped.programs.items.size() == dumped.programs.count;
    for (const dumped_program& program : dumped.programs.items)
        all_are_evicted = all_are_evicted && !program.loaded && !program.running;
    if (all_are_evicted)
        text = "\nPrograms (" + grouped_digits(dumped.programs.count) + ", all evicted; their code would take " +
               size_in_words(dumped.programs.bytes) + "):\n";
    for (const dumped_program& program : dumped.programs.items) {
        text += "  " +
                left_aligned(program.running  ? "running"
                             : program.loaded ? "loaded"
                                              : "evicted",
                             7) +
                "  '" + program.name + "', code " + size_in_words(program.code) + ", scratch " +
                size_in_words(program.scratch);
        if (program.spilled != 0) text += " and " + size_in_words(program.spilled) + " spilled";
        if (program.uses == 0)
            text += ", never run";
        else
            text += ", " + counted(program.uses, "use") + ", " +
                    (program.idle == 0 ? std::string("the latest of all")
                                       : "the last " + counted(program.idle, "call") + " ago");
        text += ", reloads in " + time_in_words(program.reload_nanoseconds) + "\n";
    }
    return text;
}

[[nodiscard]] inline std::string walls_in_words(const allocation_dump& dumped) {
    std::string text = heading("Pinned, in use or reserved", dumped.walls);
    for (const dumped_block& wall : dumped.walls.items)
        text += place_in_words(wall.where) + "  " + block_in_words(wall) + wall_in_words(wall) + "\n";
    if (!dumped.blocks_move) text += "  Nothing moves under this manager: every buffer is a wall.\n";
    if (!dumped.programs_leave) text += "  No program is evicted under this manager.\n";
    return text;
}

[[nodiscard]] inline std::string frees_in_words(const allocation_dump& dumped) {
    if (dumped.pending_frees.count == 0) return {};
    std::string text = heading("Frees that wait", dumped.pending_frees);
    for (const dumped_block& block : dumped.pending_frees.items) {
        text += place_in_words(block.where) + "  " + block_in_words(block) + " waits for ";
        text += block.until.number != 0 ? "fence " + std::to_string(block.until.number)
                                        : std::string("the next time frees take effect");
        text += "\n";
    }
    return text;
}

[[nodiscard]] inline std::string runs_in_words(const allocation_dump& dumped) {
    if (dumped.runs.count == 0) return {};
    std::string text = heading("Runs in flight", dumped.runs, false);
    for (const dumped_run& run : dumped.runs.items)
        text += "  fence " + std::to_string(run.over.number) + ": '" + run.name + "', uses " +
                counted(run.holds, "block") + ", takes " + time_in_words(run.nanoseconds) + "\n";
    return text;
}

[[nodiscard]] inline std::string donations_in_words(const dumped_donations& donations) {
    if (donations.offered == 0) return {};
    std::string text = "\nDonated inputs so far: " + grouped_digits(donations.offered) + " offered, " +
                       grouped_digits(donations.taken) + " taken over, " + grouped_digits(donations.kept) +
                       " kept by their calls, " + grouped_digits(donations.not_taken) +
                       " not taken, for want of an output of their size or by policy\n";
    for (const dumped_offer& refused : donations.refused) {
        const std::string name = refused.name.empty() ? "without a name" : "'" + refused.name + "'";
        text += place_in_words(refused.offer.where) + "  buffer " + name + " in run " +
                std::to_string(refused.offer.run.number) + ": ";
        text += miss_in_words(refused.offer.why);
        if (refused.offer.why == donation_miss::no_output_of_its_size)
            text += refused.offer.closest == 0 ? std::string("; there are no outputs")
                                               : "; the closest has " + grouped_digits(refused.offer.closest) +
                                                     " bytes, it has " + grouped_digits(refused.offer.where.size);
        text += "\n";
    }
    return text;
}

[[nodiscard]] inline std::string text_of(const allocation_dump& dumped) {
    const std::string code = runtime_code(dumped.why.reason);
    return dumped.message + "\n" + (code.empty() ? std::string{} : code + " on ") + "device " + dumped.device +
           ", manager " + dumped.manager + ", quantum " + size_in_words(dumped.quantum) + "\n\n" +
           to_text(dumped.ledger) + map_in_words(dumped) + "Reserved at the bottom: " + size_in_words(dumped.reserved) +
           ", reservable: " + size_in_words(dumped.reservable) + "\n" + allocations_in_words(dumped) +
           tags_in_words(dumped) + holes_in_words(dumped) + programs_in_words(dumped) + walls_in_words(dumped) +
           frees_in_words(dumped) + runs_in_words(dumped) + donations_in_words(dumped.donations);
}

}  // namespace detail

/// Returns the dump as text: message, ledger, map in a line of 100 characters, the lists that are not empty, glossary.
[[nodiscard]] inline std::string to_text(const allocation_dump& dumped, word_notes notes = word_notes::added) {
    const std::string text = detail::text_of(dumped);
    return notes == word_notes::added ? text + "\n" + words_explained(text) : text;
}

}  // namespace hbm
