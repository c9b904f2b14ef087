#pragma once

#include <hbm/explain/donation_words.hpp>
#include <hbm/explain/explanation.hpp>
#include <hbm/explain/plan_text.hpp>
#include <hbm/explain/word_notes.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hbm {

namespace detail {

[[nodiscard]] inline std::string briefly(const named_block& named) {
    const std::string name = "'" + named.name + "'";
    if (named.block.kind == block_kind::code) return "the code of " + name;
    if (named.block.kind == block_kind::scratch) return "the scratch of " + name;
    return named.name.empty() ? "the buffer" : name;
}
/// Returns short descriptions of several blocks, with the exact offset of a block whose name is not unique.
[[nodiscard]] inline std::vector<std::string> briefly(const std::vector<const named_block*>& blocks) {
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
    const block_view& block = culprit.block;
    const std::string name = culprit.name.empty() ? "" : " '" + culprit.name + "'";
    const auto description = [&]() -> std::string {
        switch (block.kind) {
        case block_kind::code:
            return "the code of program" + name;
        case block_kind::scratch:
            return "the scratch of program" + name;
        case block_kind::reservation:
            return "the reserved scratch";
        case block_kind::deferred:
            return "the freed buffer" + name;
        default:
            if (culprit.output != no_index) return "output " + std::to_string(culprit.output) + " of this run" + name;
            return culprit.name.empty() ? "an unnamed buffer" : "buffer" + name;
        }
    };
    std::string text =
        description() + " (" + size_in_words(block.where.size) + " at offset " + size_in_words(block.where.offset);
    if (block.holds != 0) text += ", in use by " + counted(block.holds, "run") + " in flight";
    if (block.pins != 0) text += ", pinned from outside";
    if (block.kind == block_kind::deferred) text += ", which returns when frees take effect";
    if (culprit.output != no_index)
        text += ", where it had just found room";
    else if (culprit.is_argument)
        text += ", an argument of this run, which is not moved for it";
    else if (block.holds + block.pins == 0 && block.kind == block_kind::data && !culprit.may_move)
        text += ", which this manager may not move";
    return text + ")";
}

[[nodiscard]] inline std::string error_in_words(error why) {
    if (why == error::device_failed) return "";
    if (why == error::range_is_taken) return "Reason: not all of that range is free.\n";
    if (why == error::donor_is_referenced)
        return "Reason: a holder from outside would see it change. Unpin it, or keep it this time.\n";
    return "Reason: the call itself is invalid; more room would not help.\n";
}

[[nodiscard]] inline std::string obstacle_in_words(const explanation& answer) {
    std::vector<std::string> culprits;
    for (const named_block& culprit : answer.culprits) culprits.push_back(in_words(culprit));
    const std::string missing = size_in_words(answer.shortfall);
    switch (answer.main_obstacle) {
    case obstacle::none:
        return answer.why.reason == error::none
                   ? "It fits.\n"
                   : "Reason: that alone would fit now; something else that the run requests "
                     "or uses is in the way. Explain the run itself to learn more.\n";
    case obstacle::call:
        return error_in_words(answer.why.reason);
    case obstacle::capped_bottom:
        return "Reason: " + list_in_words(culprits) + " ends the free run at the bottom, which is " + missing +
               " too short.\n";
    case obstacle::too_little_free:
        return "Reason: " + missing + " short." +
               (culprits.empty() ? "" : " Most memory is held by " + list_in_words(culprits) + ".") + "\n";
    case obstacle::scattered:
        break;
    }
    return "Reason: the free memory is in pieces. The longest, " + size_in_words(answer.best_run.size) + " at offset " +
           size_in_words(answer.best_run.offset) + ", " +
           (culprits.empty()       ? ""
            : culprits.size() == 1 ? "lies next to " + list_in_words(culprits) + " and "
                                   : "lies between " + list_in_words(culprits) + " and ") +
           (answer.shortfall == 0 ? "has no place that is aligned as it must be.\n"
                                  : "is " + missing + " too short.\n");
}

/// Returns a remedy as an instruction. `part` names the size to reduce; `unmanaged` is the reserve at the top.
[[nodiscard]] inline std::string in_words(const named_advice& given, const char* part, std::uint64_t unmanaged = 0,
                                          std::uint64_t lower_bound = 0) {
    const auto as_told = [](std::uint64_t bytes) {
        return size_in_words(bytes) + " (" + std::to_string(bytes) + " bytes)";
    };
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
            parts.push_back(next.nanoseconds == 0 ? "let pending frees take effect" : "wait for runs in flight");
            if (next.bytes != 0) parts.back() += " (" + size_in_words(next.bytes) + " returns)";
        } else if (next.what == step_kind::evict) {
            evicted.push_back("'" + given.steps[i].name + "'");
        } else {
            moved.push_back(&given.steps[i]);
            moved_bytes += next.bytes;
            copies += next.copies;
        }
    }
    const bool same = briefly(unpinned) == briefly(moved);
    if (!unpinned.empty() && !same) parts.push_back("unpin " + some_of(briefly(unpinned)));
    if (!evicted.empty())
        parts.push_back((evicted.size() == 1 ? "evict program " : "evict programs ") + some_of(evicted));
    if (!moved.empty())
        parts.push_back((same ? "unpin and move " : "move ") + some_of(briefly(moved)) + " (" +
                        size_in_words(moved_bytes) + " in " + counted(copies, "copy", "copies") + ")");
    if (!given.what.donate.empty()) parts.push_back(donation_in_words(given));
    if (given.what.ask_for)
        parts.push_back((given.is_exact ? "request at most " : "request ") + as_told(*given.what.ask_for) + part +
                        (given.is_exact ? "" : "; more may fit"));
    if (given.what.capacity)
        parts.push_back("have " + size_in_words(given.more_bytes) +
                        " more memory, at the top: " + as_told(*given.what.capacity + unmanaged) + " in all" +
                        (given.is_exact ? "" : "; less may do"));
    if (parts.empty()) return {};
    std::string text = list_in_words(parts);
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
    if (!given.what.steps.steps.empty()) text += ": " + price_in_words(given.what.nanoseconds(), lower_bound);
    return text;
}

[[nodiscard]] inline std::string conclusion_in_words(const explanation& answer) {
    const std::string everything =
        "It cannot fit: with every run finished, every other program evicted and nothing pinned, ";
    switch (answer.conclusion) {
    case remedy_status::found:
        return "";
    case remedy_status::none_found:
        return "No remedy was found that makes it fit as it is. One may still exist.\n";
    case remedy_status::not_enough_bytes:
        return everything + "it is still " + size_in_words(answer.missing) + " short.\n";
    case remedy_status::walls:
        return everything + "the blocks that remain are still in the way.\n";
    case remedy_status::no_arrangement:
        break;
    }
    return everything + "no arrangement that moves can reach has room for it.\n";
}

/// Returns a note on what a longer search might find; "" if nothing.
[[nodiscard]] inline std::string effort_in_words(const explanation& answer) {
    if (!answer.ended_by_effort) return {};
    const bool is_proof = answer.conclusion != remedy_status::found && answer.conclusion != remedy_status::none_found;
    // The search for donations of a run may have ended early.
    if (!is_proof || answer.tried == attempt::kind::run)
        return "The search for remedies used up its effort: with more, more or cheaper remedies may be found.\n";
    bool is_complete = answer.remedies.size() == 2;
    for (const named_advice& given : answer.remedies) is_complete = is_complete && given.is_exact;
    return is_complete ? "" : "The search for remedies used up its effort: with more, better sizes may be found.\n";
}

[[nodiscard]] inline std::string text_of(const explanation& answer) {
    std::string text = answer.message + "\n" + obstacle_in_words(answer);
    if (answer.main_obstacle == obstacle::none || answer.main_obstacle == obstacle::call) return text;
    text += conclusion_in_words(answer);
    text += effort_in_words(answer);
    if (answer.remedies.empty()) return text;
    text += answer.conclusion == remedy_status::found ? "Remedies, cheapest first:\n" : "Alternatives:\n";
    const char* const part = answer.tried != attempt::kind::load                ? ""
                             : answer.why.reason == error::scratch_does_not_fit ? " of scratch"
                                                                                : " of code";
    bool moves = false;
    bool evicts = false;
    bool donates = false;
    bool arguments = false;
    bool is_cheapest = true;  // of the remedies that only wait, move and evict
    for (std::size_t i = 0; i < answer.remedies.size(); ++i) {
        const bool only_steps = answer.remedies[i].what.is_only_steps();
        text +=
            "  " + std::to_string(i + 1) + ". " +
            in_words(answer.remedies[i], part, answer.unmanaged, only_steps && is_cheapest ? answer.lower_bound : 0) +
            "\n";
        is_cheapest = is_cheapest && !only_steps;
        moves = moves || answer.remedies[i].what.has(step_kind::move);
        evicts = evicts || answer.remedies[i].what.has(step_kind::evict);
        donates = donates || !answer.remedies[i].what.donate.empty();
        for (const named_block& subject : answer.remedies[i].steps) arguments = arguments || subject.is_argument;
    }
    if (moves && !answer.moves_by_itself)
        text += "Moves are made by hand here, with relieve(): a manager with compacting<> makes them by itself.\n";
    if (evicts && !answer.evicts_by_itself)
        text += "Evictions are made by hand here, with relieve(): another eviction policy makes them by itself.\n";
    if (arguments) text += "The arguments of a run are not moved for it: they are moved before, with relieve().\n";
    if (donates && !answer.donates_by_itself)
        text += "Under this manager no output takes over an input. To donate, give it a donation policy such as "
                "donate_same_size, which the copy had.\n";
    if (donates) text += "Arguments are counted from 0, inputs first, then donated ones.\n";
    text +=
        (answer.remedies.size() == 1 ? "It was" : "Each was") + std::string(" tried on a copy of this memory, where ");
    if (answer.is_part)
        return text + "that output alone then found room; the rest of the run was not tried: explain the run itself.\n";
    return text +
           (answer.tried == attempt::kind::allocate ? "the allocation"
            : answer.tried == attempt::kind::run    ? "the run"
                                                    : "loading") +
           " then succeeded.\n";
}

}  // namespace detail

/// Returns several lines: the runtime's message, the obstacle, the remedies, what was proven, and a glossary.
[[nodiscard]] inline std::string to_text(const explanation& answer, word_notes notes = word_notes::added) {
    const std::string text = detail::text_of(answer);
    return notes == word_notes::added ? text + words_explained(text) : text;
}

}  // namespace hbm
