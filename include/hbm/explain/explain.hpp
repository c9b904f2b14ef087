#pragma once

/// Explanations and plans as text.

#include <hbm/explain/explanation.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/message.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/planning/plan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::inline v0 {

/// Returns a price and the least price that is possible, if it is known.
[[nodiscard]] inline std::string price_in_words(std::uint64_t nanoseconds, std::uint64_t lower_bound) {
    const std::string price = time_in_words(nanoseconds);
    if (nanoseconds == 0 || lower_bound == 0) return price;
    if (lower_bound >= nanoseconds) return price + ", and nothing costs less";
    const std::string least = time_in_words(lower_bound);
    return price + "; nothing under " + (least == price ? std::to_string(lower_bound) + " ns" : least);
}

namespace detail {

/// Returns a block of a program or a buffer; `name` is in quotes after a space, or "".
[[nodiscard]] inline std::string noun_of(block_kind kind, const std::string& name) {
    if (kind == block_kind::code) return "the code of program" + name;
    if (kind == block_kind::scratch) return "the scratch of program" + name;
    return "buffer" + name;
}
[[nodiscard]] inline std::string quoted(std::string_view name) {
    return name.empty() ? std::string() : " '" + std::string(name) + "'";
}

[[nodiscard]] constexpr std::string_view in_words(infeasibility proof) noexcept {
    switch (proof) {
    case infeasibility::too_few_bytes:
        return "too few bytes are free, even with everything removed that may be removed";
    case infeasibility::walls: return "what must stay leaves no stretch that is long enough";
    case infeasibility::no_arrangement: return "no arrangement that moves and evictions can reach has room";
    case infeasibility::wrong_call: return "the call itself is invalid";
    case infeasibility::unknown: break;
    }
    return "unknown: none was found, but one may still exist";
}

}  // namespace detail

/// Returns a line for each step, in order, and a line for the sum. `memory` is the memory before the plan.
template <class Memory>
[[nodiscard]] std::string to_text(const plan& steps, const Memory& memory) {
    const auto programs = memory.programs();
    const auto program_name = [&](std::uint32_t slot) {
        return detail::quoted(slot < programs.size() ? memory.name_of(programs[slot].label) : "");
    };
    const auto moved_block = [&](const step& move) -> std::string {
        // A step names its block by place, and `memory` is as it was before the plan. So the block is found only if no
        // earlier step has moved it; an index would not do either, for a plan may be printed long after its blocks have
        // other handles.
        for (const block_view& block : memory.blocks()) {
            if (block.where.offset != move.from || block.where.size != move.bytes) continue;
            const bool is_of_program = block.kind == block_kind::code || block.kind == block_kind::scratch;
            return detail::noun_of(block.kind, is_of_program
                                                   ? program_name(block.owner)
                                                   : detail::quoted(memory.name_of(static_cast<tag>(block.owner))));
        }
        return "a block";  // moved there by an earlier step, or absent
    };
    if (steps.steps.empty()) return "Nothing has to be done.\n";
    std::string text;
    for (std::size_t at = 0; at < steps.steps.size(); ++at) {
        const step& next = steps.steps[at];
        const std::string bytes = size_in_words(next.bytes);
        std::string what;
        if (next.what == step_kind::wait) {
            what = filled("Wait for fence {fence} ({bytes} returns)", {{"fence", next.to}, {"bytes", bytes}});
        } else if (next.what == step_kind::evict) {
            what = filled("Evict program{name} ({bytes})", {{"name", program_name(next.subject)}, {"bytes", bytes}});
        } else {
            what = filled("Move {block} ({bytes} from {from} to {to} in {copies})",
                          {{"block", moved_block(next)},
                           {"bytes", bytes},
                           {"from", size_in_words(next.from)},
                           {"to", size_in_words(next.to)},
                           {"copies", counted(next.copies, "copy", "copies")}});
            if (next.purpose == step_purpose::aside) what += ", to make way for another";
        }
        text += std::to_string(at + 1) + ". " + what + ": " + time_in_words(next.nanoseconds) + "\n";
    }
    return text + "In all " + price_in_words(steps.nanoseconds, steps.lower_bound) + ".\n";
}
/// Returns the result of a search as text: the plan, or the reason why there is none.
template <class Memory>
[[nodiscard]] std::string to_text(const planning_result& result, const Memory& memory) {
    if (result.found) return to_text(*result.found, memory);
    return "Nothing makes room (" + std::string(detail::in_words(result.proof)) + ").\n";
}

namespace detail {

// -- blocks --

[[nodiscard]] inline std::string briefly(const named_block& named) {
    const std::string name = "'" + named.name + "'";
    if (named.block.kind == block_kind::code) return "the code of " + name;
    if (named.block.kind == block_kind::scratch) return "the scratch of " + name;
    return named.name.empty() ? "the buffer" : name;
}
/// Returns short descriptions of several blocks, with the exact offset of a block whose name is not unique.
[[nodiscard]] inline std::vector<std::string> briefly(const std::vector<const named_block*>& blocks) {
    // Buffers of one tag have one name, so a name alone does not say which of them to move. The offset is added only
    // where two blocks of the list would read alike: mostly names are unique, and then the shorter text is the clearer
    // one. A block that is listed twice, because it moves twice, is named once.
    std::vector<std::string> names;
    for (const named_block* block : blocks) {
        std::string name = briefly(*block);
        bool is_unique = !block->name.empty();
        for (const named_block* other : blocks)
            is_unique = is_unique && (other->block.where == block->block.where || briefly(*other) != name);
        if (!is_unique) name += " at " + std::to_string(block->block.where.offset);
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}
[[nodiscard]] inline std::string some_of(std::vector<std::string> names) {
    // Five names are printed rather than four and "1 more", which would be no shorter.
    constexpr std::size_t most = 4;
    if (names.size() > most + 1) {
        const std::size_t others = names.size() - most;
        names.resize(most);
        names.push_back(std::to_string(others) + " more");
    }
    return list_in_words(names);
}

/// Returns a block's kind, name, size and place, and what keeps it there.
[[nodiscard]] inline std::string in_words(const named_block& culprit) {
    // What keeps a block in place comes after its size and offset, most temporary reason first: a hold ends by itself,
    // a pin has to be taken away, a free is waited for. Only if none of these applies is it the manager's policy, and
    // only for a buffer: code and scratch leave by eviction.
    const block_view& block = culprit.block;
    std::string text = noun_of(block.kind, quoted(culprit.name));
    if (block.kind == block_kind::reservation) text = "the reserved scratch";
    if (block.kind == block_kind::deferred) text = "the freed buffer" + quoted(culprit.name);
    if (block.kind == block_kind::data && culprit.name.empty()) text = "an unnamed buffer";
    if (culprit.output != no_index)
        text = "output " + std::to_string(culprit.output) + " of this run" + quoted(culprit.name);
    text += " (" + size_in_words(block.where.size) + " at offset " + size_in_words(block.where.offset);
    if (block.holds != 0) text += ", in use by " + counted(block.holds, "run") + " in flight";
    if (block.pins != 0) text += ", pinned from outside";
    if (block.kind == block_kind::deferred) text += ", which returns when frees take effect";
    if (culprit.output != no_index)
        text += ", where it had just found room";
    else if (culprit.is_argument)
        text += ", an argument of this run";
    else if (block.holds + block.pins == 0 && block.kind == block_kind::data && !culprit.may_move)
        text += ", which this manager may not move";
    return text + ")";
}

// -- the obstacle --

[[nodiscard]] constexpr std::string_view sentence_of(const failure& why) noexcept {
    if (why.reason == error::device_failed) return {};
    if (why.reason == error::range_is_taken) return "Reason: not all of that range is free.\n";
    if (why.reason != error::donor_is_referenced)
        return "Reason: the call itself is invalid; more room would not help.\n";
    return why.argument == no_index
               ? "Reason: a holder from outside has its place. Unpin it.\n"
               : "Reason: a holder from outside would see it change. Unpin it, or keep it this time.\n";
}

[[nodiscard]] inline std::string obstacle_in_words(const explanation& answer) {
    // One sentence a kind of obstacle. Without culprits too few bytes have two reasons: an empty memory that is too
    // small, or one without any bytes, which is a mistake in its spec and is named as such. What is left after the
    // switch is memory in pieces; its shortfall is 0 if the longest piece is long enough and only begins at the wrong
    // address.
    std::vector<std::string> culprits;
    for (const named_block& culprit : answer.culprits) culprits.push_back(in_words(culprit));
    const std::string blocks = list_in_words(culprits);
    const std::string missing = size_in_words(answer.shortfall);
    switch (answer.main_obstacle) {
    case obstacle::none:
        if (answer.why.reason == error::none) return "It fits.\n";
        return "Reason: that alone would fit now; something else that the run requests or uses is in the way. Explain "
               "the run itself to learn more.\n";
    case obstacle::call: return std::string(sentence_of(answer.why));
    case obstacle::capped_bottom:
        return "Reason: " + blocks + " ends the free run at the bottom, which is " + missing + " too short.\n";
    case obstacle::too_little_free:
        if (!culprits.empty()) return "Reason: " + missing + " short. Most memory is held by " + blocks + ".\n";
        if (answer.why.free != 0) return "Reason: " + missing + " short. The memory is empty, but too small.\n";
        return "Reason: the manager has 0 bytes, because its `capacity` less `top_reserved` is below a quantum.\n";
    case obstacle::scattered: break;
    }
    std::string text =
        filled("Reason: the free memory is in pieces. The longest, {size} at offset {offset}, ",
               {{"size", size_in_words(answer.best_run.size)}, {"offset", size_in_words(answer.best_run.offset)}});
    if (culprits.size() == 1) text += "lies next to " + blocks + " and ";
    if (culprits.size() > 1) text += "lies between " + blocks + " and ";
    if (answer.shortfall == 0) return text + "has no place that is aligned as it must be.\n";
    return text + "is " + missing + " too short.\n";
}

// -- remedies --

/// An argument of a run: its index, and its name or "".
using indexed_name = std::pair<std::uint32_t, std::string>;

/// Returns arguments as a list: `argument 0, 'a'` or `arguments 0 ('a') and 2 ('b')`.
/// More than four: ranges of indices, such as `0-27`, and the first name.
[[nodiscard]] inline std::string arguments_in_words(const std::vector<indexed_name>& arguments) {
    // A training step has hundreds of parameters, numbered one after another. Few arguments are listed each with its
    // name; many become ranges of indices with the first name as an example, so that the line stays a line.
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
    // Two cases need two instructions: an input is to be donated; one that is donated already was kept, or nothing took
    // it over.
    std::vector<indexed_name> fresh;
    std::vector<indexed_name> offered;
    for (std::size_t i = 0; i < given.what.donate.size(); ++i)
        (given.was_donated[i] ? offered : fresh).emplace_back(given.what.donate[i], given.donated[i].name);
    std::vector<std::string> parts;
    if (!fresh.empty()) parts.push_back("donate " + arguments_in_words(fresh));
    if (!offered.empty()) parts.push_back("let outputs take over donated " + arguments_in_words(offered));
    return list_in_words(parts);
}

[[nodiscard]] inline std::string exact_size_in_words(std::uint64_t bytes) {
    return size_in_words(bytes) + " (" + std::to_string(bytes) + " bytes)";
}

/// Returns the waits of a remedy, one by one, and its unpins, evictions and moves, each kind as one instruction.
[[nodiscard]] inline std::vector<std::string> steps_in_words(const named_advice& given) {
    // Steps in the order of the plan would be tens of lines. A reader wants to know what to do, so steps of a kind
    // become one instruction with the sum of their bytes; the exact order is that of the plan, which `to_text(plan)`
    // prints. Waits stay apart, because a wait for runs costs time and one for pending frees does not.
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
            parts.emplace_back(next.nanoseconds == 0 ? "let pending frees take effect" : "wait for runs in flight");
            if (next.bytes != 0) parts.back() += " (" + size_in_words(next.bytes) + " returns)";
        } else if (next.what == step_kind::evict) {
            evicted.push_back("'" + given.steps[i].name + "'");
        } else {
            moved.push_back(&given.steps[i]);
            moved_bytes += next.bytes;
            copies += next.copies;
        }
    }
    const bool same = briefly(unpinned) == briefly(moved);  // then one instruction is enough
    if (!unpinned.empty() && !same) parts.push_back("unpin " + some_of(briefly(unpinned)));
    if (!evicted.empty())
        parts.push_back((evicted.size() == 1 ? "evict program " : "evict programs ") + some_of(evicted));
    if (!moved.empty())
        parts.push_back(
            filled(same ? "unpin and move {blocks} ({bytes} in {copies})" : "move {blocks} ({bytes} in {copies})",
                   {{"blocks", some_of(briefly(moved))},
                    {"bytes", size_in_words(moved_bytes)},
                    {"copies", counted(copies, "copy", "copies")}}));
    return parts;
}

/// Returns a remedy as an instruction. `part` names the size to reduce; `unmanaged` is the reserve at the top.
[[nodiscard]] inline std::string in_words(const named_advice& given, const std::string& part, std::uint64_t unmanaged,
                                          std::uint64_t lower_bound) {
    std::vector<std::string> parts = steps_in_words(given);
    if (!given.what.donate.empty()) parts.push_back(donation_in_words(given));
    if (given.what.ask_for) {
        const std::string size = exact_size_in_words(*given.what.ask_for) + part;
        parts.push_back(given.is_exact ? "request at most " + size : "request " + size + "; more may fit");
    }
    if (given.what.capacity)
        parts.push_back(filled("have {more} more memory, at the top: {capacity} in all{less}",
                               {{"more", size_in_words(given.more_bytes)},
                                {"capacity", exact_size_in_words(*given.what.capacity + unmanaged)},
                                {"less", given.is_exact ? "" : "; less may do"}}));
    if (parts.empty()) return {};
    std::string text = list_in_words(parts);
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
    if (!given.what.steps.steps.empty()) text += ": " + price_in_words(given.what.nanoseconds(), lower_bound);
    return text;
}

/// Returns the numbered remedies, a line each.
[[nodiscard]] inline std::string remedies_in_words(const explanation& answer) {
    std::string part;
    if (answer.tried == attempt::kind::load)
        part = answer.why.reason == error::scratch_does_not_fit ? " of scratch" : " of code";
    std::string text;
    // The lower bound is one of waits, moves and evictions, so it is a word on the cheapest of these remedies alone.
    bool is_cheapest = true;
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
    // A remedy says what helps, the notes who does it. A plan may hold moves and evictions that this manager never
    // makes by itself: then the reader is told to make them by hand or which policy would. The last note says what the
    // trial has shown, which is less than success of the whole run if only one output was known.
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
    if (moves && !answer.moves_by_itself)
        text += "Moves are made by hand here, with relieve(): a manager with compacting<> makes them by itself.\n";
    if (evicts && !answer.evicts_by_itself)
        text += "Evictions are made by hand here, with relieve(): another eviction policy makes them by itself.\n";
    if (arguments)
        text += "A run moves its arguments only if its arguments_may_move is true. Else move them before, with "
                "relieve().\n";
    if (donates && !answer.donates_by_itself)
        text += "Under this manager no output takes over an input. To donate, give it a donation policy such as "
                "donate_same_size, which the copy had.\n";
    if (donates) text += "Arguments are counted from 0, inputs first, then donated ones.\n";
    text += answer.remedies.size() == 1 ? "It was" : "Each was";
    text += " tried on a copy of this memory, where ";
    if (answer.is_part)
        return text + "that output alone then found room; the rest of the run was not tried: explain the run itself.\n";
    if (answer.tried == attempt::kind::allocate) return text + "the allocation then succeeded.\n";
    return text + (answer.tried == attempt::kind::run ? "the run" : "loading") + " then succeeded.\n";
}

// -- conclusions --

[[nodiscard]] inline std::string conclusion_in_words(const explanation& answer) {
    const std::string all_removed =
        "It cannot fit: with every run finished, every other program evicted and nothing pinned, ";
    switch (answer.conclusion) {
    case remedy_status::found: return {};
    case remedy_status::none_found: return "No remedy was found that makes it fit as it is. One may still exist.\n";
    case remedy_status::not_enough_bytes:
        return all_removed + "it is still " + size_in_words(answer.missing) + " short.\n";
    case remedy_status::walls: return all_removed + "the blocks that remain are still in the way.\n";
    case remedy_status::no_arrangement: break;
    }
    return all_removed + "no arrangement that moves can reach has room for it.\n";
}

/// Returns a note on results of a longer search; "" if it has none.
[[nodiscard]] inline std::string effort_note(const explanation& answer) {
    // The note is left out where a longer search would change nothing: the proof stands, and both alternatives, a
    // smaller request and a larger memory, are exact.
    if (!answer.ended_by_effort) return {};
    const std::string used_up = "The search for remedies used up its effort: with more, ";
    const bool is_proof = answer.conclusion != remedy_status::found && answer.conclusion != remedy_status::none_found;
    // The search for donations of a run may have ended early.
    if (!is_proof || answer.tried == attempt::kind::run) return used_up + "more or cheaper remedies may be found.\n";
    bool is_complete = answer.remedies.size() == 2;
    for (const named_advice& given : answer.remedies) is_complete = is_complete && given.is_exact;
    return is_complete ? "" : used_up + "better sizes may be found.\n";
}

}  // namespace detail

/// Returns several lines: the runtime's message, the obstacle, the remedies, and what was proven.
[[nodiscard]] inline std::string to_text(const explanation& answer) {
    // From the outside to the inside: what the runtime says, what is in the way, whether anything can help, what helps.
    // After a proof that nothing does, the remedies left are another request or another memory, and are called
    // alternatives.
    std::string text = answer.message + "\n" + detail::obstacle_in_words(answer);
    if (answer.main_obstacle == obstacle::none || answer.main_obstacle == obstacle::call) return text;
    text += detail::conclusion_in_words(answer) + detail::effort_note(answer);
    if (answer.remedies.empty()) return text;
    text += answer.conclusion == remedy_status::found ? "Remedies, cheapest first:\n" : "Alternatives:\n";
    return text + detail::remedies_in_words(answer) + detail::remedy_notes(answer);
}

/// Explains a failed call in several lines: `if (!out) puts(hbm::explain(memory, out.error()).c_str());`.
/// Requires: the manager has not changed since the failure.
/// Cost: see `explanation_of`.
template <class Memory>
[[nodiscard]] std::string explain(const Memory& memory, const failure& why, const explain_options& options = {}) {
    return to_text(explanation_of(memory, why, options));
}
/// Explains a failed attempt, which has all arguments of a run; a failure has one.
template <class Memory>
[[nodiscard]] std::string explain(const Memory& memory, const attempt& tried, const explain_options& options = {}) {
    return to_text(explanation_of(memory, tried, options));
}

}  // namespace hbm::inline v0
