#pragma once

#include <hbm/explain/explanation.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/plan_text.hpp>
#include <hbm/explain/texts.hpp>
#include <hbm/explain/word_notes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::inline v0 {

namespace detail {

[[nodiscard]] inline std::string briefly(const named_block& named) {
    const std::string_view noun = named.block.kind == block_kind::code      ? texts::code_of
                                  : named.block.kind == block_kind::scratch ? texts::scratch_of
                                  : named.name.empty()                      ? texts::the_buffer
                                                                            : texts::quoted;
    return filled(noun, {{"name", named.name}});
}
/// Returns short descriptions of several blocks, with the exact offset of a block whose name is not unique.
[[nodiscard]] inline std::vector<std::string> briefly(const std::vector<const named_block*>& blocks) {
    std::vector<std::string> names;
    for (const named_block* block : blocks) {
        std::string name = briefly(*block);
        bool is_unique = !block->name.empty();
        for (const named_block* other : blocks)
            is_unique = is_unique && (other->block.where == block->block.where || briefly(*other) != name);
        if (!is_unique) name += filled(texts::at_offset, {{"offset", block->block.where.offset}});
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}
[[nodiscard]] inline std::string some_of(std::vector<std::string> names) {
    constexpr std::size_t most = 4;
    if (names.size() > most + 1) {
        const std::size_t others = names.size() - most;
        names.resize(most);
        names.push_back(filled(texts::more_blocks, {{"count", others}}));
    }
    return list_in_words(names);
}

/// Returns a block's kind, name, size and place, and what keeps it there.
[[nodiscard]] inline std::string in_words(const named_block& culprit) {
    const block_view& block = culprit.block;
    const std::string name = culprit.name.empty() ? "" : " '" + culprit.name + "'";
    const std::string_view noun = block.kind == block_kind::code          ? texts::code_of_program
                                  : block.kind == block_kind::scratch     ? texts::scratch_of_program
                                  : block.kind == block_kind::reservation ? texts::reserved_scratch
                                  : block.kind == block_kind::deferred    ? texts::freed_buffer
                                  : culprit.output != no_index            ? texts::output_of_run
                                  : culprit.name.empty()                  ? texts::unnamed_buffer
                                                                          : texts::named_buffer;
    std::string notes;
    if (block.holds != 0) notes += filled(texts::in_flight, {{"runs", counted(block.holds, "run")}});
    if (block.pins != 0) notes += texts::pinned;
    if (block.kind == block_kind::deferred) notes += texts::waits_for_frees;
    if (culprit.output != no_index)
        notes += texts::just_placed;
    else if (culprit.is_argument)
        notes += texts::is_argument;
    else if (block.holds + block.pins == 0 && block.kind == block_kind::data && !culprit.may_move)
        notes += texts::may_not_move;
    return filled(texts::block_at, {{"block", filled(noun, {{"name", name}, {"output", culprit.output}})},
                                    {"size", size_in_words(block.where.size)},
                                    {"offset", size_in_words(block.where.offset)},
                                    {"notes", notes}});
}

[[nodiscard]] constexpr std::string_view sentence_of(const failure& why) noexcept {
    if (why.reason == error::device_failed) return {};
    if (why.reason == error::range_is_taken) return texts::range_is_taken;
    if (why.reason != error::donor_is_referenced) return texts::invalid_call;
    return why.argument == no_index ? texts::buffer_is_referenced : texts::donor_is_referenced;
}

[[nodiscard]] constexpr std::string_view obstacle_sentence(const explanation& answer) noexcept {
    const std::size_t culprits = std::min<std::size_t>(answer.culprits.size(), 2);
    switch (answer.main_obstacle) {
    case obstacle::none: return answer.why.reason == error::none ? texts::it_fits : texts::part_fits;
    case obstacle::call: return sentence_of(answer.why);
    case obstacle::capped_bottom: return texts::capped_bottom;
    case obstacle::too_little_free:
        if (culprits != 0) return texts::too_little_free;
        return answer.why.free == 0 ? texts::no_memory : texts::nothing_held;
    case obstacle::scattered: break;
    }
    return answer.shortfall == 0 ? texts::not_aligned[culprits] : texts::too_short[culprits];
}

[[nodiscard]] inline std::string obstacle_in_words(const explanation& answer) {
    std::vector<std::string> culprits;
    for (const named_block& culprit : answer.culprits) culprits.push_back(in_words(culprit));
    return filled(obstacle_sentence(answer),
                  {{"blocks", list_in_words(culprits)},
                   {"missing", size_in_words(answer.shortfall)},
                   {"run", filled(texts::run_at, {{"size", size_in_words(answer.best_run.size)},
                                                  {"offset", size_in_words(answer.best_run.offset)}})}});
}

/// An argument of a run: its index, and its name or "".
using indexed_name = std::pair<std::uint32_t, std::string>;

/// Returns arguments as a list: `argument 0, 'a'` or `arguments 0 ('a') and 2 ('b')`.
/// More than four: ranges of indices, such as `0-27`, and the first name.
[[nodiscard]] inline std::string arguments_in_words(const std::vector<indexed_name>& arguments) {
    constexpr std::size_t most_names = 4;
    const auto& [first, name] = arguments.front();
    if (arguments.size() == 1) return "argument " + std::to_string(first) + (name.empty() ? "" : ", '" + name + "'");
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < arguments.size();) {
        std::size_t last = at;
        while (arguments.size() > most_names && last + 1 < arguments.size() &&
               arguments[last + 1].first == arguments[last].first + 1)
            ++last;
        parts.push_back(std::to_string(arguments[at].first));
        if (last != at) parts.back() += "-" + std::to_string(arguments[last].first);
        if (arguments.size() <= most_names && !arguments[at].second.empty())
            parts.back() += " ('" + arguments[at].second + "')";
        at = last + 1;
    }
    const bool is_long = arguments.size() > most_names && !name.empty();
    return "arguments " + list_in_words(parts) +
           (is_long ? " ('" + name + "' and " + std::to_string(arguments.size() - 1) + " more)" : "");
}

[[nodiscard]] inline std::string donation_in_words(const named_advice& given) {
    std::vector<indexed_name> fresh;
    std::vector<indexed_name> offered;
    for (std::size_t i = 0; i < given.what.donate.size(); ++i)
        (given.was_donated[i] ? offered : fresh).emplace_back(given.what.donate[i], given.donated[i].name);
    std::vector<std::string> parts;
    if (!fresh.empty()) parts.push_back(filled(texts::donate, {{"arguments", arguments_in_words(fresh)}}));
    if (!offered.empty()) parts.push_back(filled(texts::take_over, {{"arguments", arguments_in_words(offered)}}));
    return list_in_words(parts);
}

[[nodiscard]] inline std::string exact_size_in_words(std::uint64_t bytes) {
    return filled(texts::exact_size, {{"size", size_in_words(bytes)}, {"bytes", bytes}});
}

/// Returns the waits of a remedy, one by one, and its unpins, evictions and moves, each kind as one instruction.
[[nodiscard]] inline std::vector<std::string> steps_in_words(const named_advice& given) {
    std::vector<std::string> parts;
    std::vector<const named_block*> unpinned;
    std::vector<const named_block*> moved;
    std::vector<std::string> evicted;
    std::uint64_t moved_bytes = 0;
    std::uint64_t copies = 0;
    for (const named_block& pinned : given.unpinned) unpinned.push_back(&pinned);
    for (std::size_t i = 0; i < given.what.steps.steps.size(); ++i) {
        const step& next = given.what.steps.steps[i];
        if (next.what == step_kind::wait) {
            parts.emplace_back(next.nanoseconds == 0 ? texts::await_frees : texts::await_runs);
            if (next.bytes != 0) parts.back() += filled(texts::bytes_return, {{"bytes", size_in_words(next.bytes)}});
        } else if (next.what == step_kind::evict) {
            evicted.push_back("'" + given.steps[i].name + "'");
        } else {
            moved.push_back(&given.steps[i]);
            moved_bytes += next.bytes;
            copies += next.copies;
        }
    }
    const bool same = briefly(unpinned) == briefly(moved);
    if (!unpinned.empty() && !same) parts.push_back(filled(texts::unpin, {{"blocks", some_of(briefly(unpinned))}}));
    if (!evicted.empty())
        parts.push_back(filled(evicted.size() == 1 ? texts::evict_program : texts::evict_programs,
                               {{"programs", some_of(evicted)}}));
    if (!moved.empty())
        parts.push_back(
            filled(same ? texts::unpin_and_move : texts::move, {{"blocks", some_of(briefly(moved))},
                                                                {"bytes", size_in_words(moved_bytes)},
                                                                {"copies", counted(copies, "copy", "copies")}}));
    return parts;
}

/// Returns a remedy as an instruction. `part` names the size to reduce; `unmanaged` is the reserve at the top.
[[nodiscard]] inline std::string in_words(const named_advice& given, std::string_view part, std::uint64_t unmanaged = 0,
                                          std::uint64_t lower_bound = 0) {
    std::vector<std::string> parts = steps_in_words(given);
    if (!given.what.donate.empty()) parts.push_back(donation_in_words(given));
    if (given.what.ask_for)
        parts.push_back(filled(given.is_exact ? texts::request_at_most : texts::request_size,
                               {{"size", exact_size_in_words(*given.what.ask_for)}, {"part", std::string(part)}}));
    if (given.what.capacity)
        parts.push_back(filled(given.is_exact ? texts::enlarge_exactly : texts::enlarge,
                               {{"more", size_in_words(given.more_bytes)},
                                {"capacity", exact_size_in_words(*given.what.capacity + unmanaged)}}));
    if (parts.empty()) return {};
    std::string text = list_in_words(parts);
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
    if (!given.what.steps.steps.empty()) text += ": " + price_in_words(given.what.nanoseconds(), lower_bound);
    return text;
}

[[nodiscard]] constexpr std::string_view sentence_of(remedy_status conclusion) noexcept {
    switch (conclusion) {
    case remedy_status::found: return {};
    case remedy_status::none_found: return texts::none_found;
    case remedy_status::not_enough_bytes: return texts::not_enough_bytes;
    case remedy_status::walls: return texts::walls;
    case remedy_status::no_arrangement: break;
    }
    return texts::no_arrangement;
}

/// Returns a note on results of a longer search; "" if it has none.
[[nodiscard]] inline std::string_view effort_note(const explanation& answer) {
    if (!answer.ended_by_effort) return {};
    const bool is_proof = answer.conclusion != remedy_status::found && answer.conclusion != remedy_status::none_found;
    // The search for donations of a run may have ended early.
    if (!is_proof || answer.tried == attempt::kind::run) return texts::more_effort_for_remedies;
    bool is_complete = answer.remedies.size() == 2;
    for (const named_advice& given : answer.remedies) is_complete = is_complete && given.is_exact;
    return is_complete ? std::string_view{} : texts::more_effort_for_sizes;
}

/// Returns the numbered remedies, a line each.
[[nodiscard]] inline std::string remedies_in_words(const explanation& answer) {
    const std::string_view part = answer.tried != attempt::kind::load                ? std::string_view{}
                                  : answer.why.reason == error::scratch_does_not_fit ? texts::of_scratch
                                                                                     : texts::of_code;
    std::string text;
    bool is_cheapest = true;  // of the remedies that only wait, move and evict
    for (std::size_t i = 0; i < answer.remedies.size(); ++i) {
        const bool only_steps = answer.remedies[i].what.is_only_steps();
        const std::uint64_t lower_bound = only_steps && is_cheapest ? answer.lower_bound : 0;
        text += "  " + std::to_string(i + 1) + ". " +
                in_words(answer.remedies[i], part, answer.unmanaged, lower_bound) + "\n";
        is_cheapest = is_cheapest && !only_steps;
    }
    return text;
}

/// Returns notes on who makes the moves, evictions and donations of the remedies, and on how they were tried.
[[nodiscard]] inline std::string remedy_notes(const explanation& answer) {
    bool moves = false;
    bool evicts = false;
    bool donates = false;
    bool arguments = false;
    for (const named_advice& given : answer.remedies) {
        moves = moves || given.what.has(step_kind::move);
        evicts = evicts || given.what.has(step_kind::evict);
        donates = donates || !given.what.donate.empty();
        for (const named_block& subject : given.steps) arguments = arguments || subject.is_argument;
    }
    std::string text;
    if (moves && !answer.moves_by_itself) text += texts::moves_by_hand;
    if (evicts && !answer.evicts_by_itself) text += texts::evictions_by_hand;
    if (arguments) text += texts::arguments_move_before;
    if (donates && !answer.donates_by_itself) text += texts::no_donation_policy;
    if (donates) text += texts::argument_order;
    const bool is_single = answer.remedies.size() == 1;
    if (answer.is_part) return text.append(is_single ? texts::one_tried_for_output : texts::all_tried_for_output);
    const std::string_view call = answer.tried == attempt::kind::allocate ? texts::the_allocation
                                  : answer.tried == attempt::kind::run    ? texts::the_run
                                                                          : texts::loading;
    return text + filled(is_single ? texts::one_tried : texts::all_tried, {{"call", std::string(call)}});
}

[[nodiscard]] inline std::string text_of(const explanation& answer) {
    std::string text = answer.message + "\n" + obstacle_in_words(answer);
    if (answer.main_obstacle == obstacle::none || answer.main_obstacle == obstacle::call) return text;
    text += filled(sentence_of(answer.conclusion), {{"missing", size_in_words(answer.missing)}});
    text += effort_note(answer);
    if (answer.remedies.empty()) return text;
    text += answer.conclusion == remedy_status::found ? texts::remedies : texts::alternatives;
    return text + remedies_in_words(answer) + remedy_notes(answer);
}

}  // namespace detail

/// Returns several lines: the runtime's message, the obstacle, the remedies, what was proven, and a glossary.
[[nodiscard]] inline std::string to_text(const explanation& answer, word_notes notes = word_notes::added) {
    const std::string text = detail::text_of(answer);
    return notes == word_notes::added ? text + words_explained(text) : text;
}

}  // namespace hbm::inline v0
