#pragma once

/// An explanation in words.

#include <hbm/report/explanation.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace hbm {

/// Modelled time as people write it: `850 ns`, `2.3 us`, `412 us`, `3.1 ms`, `12.0 s`; what is cut off is not rounded.
[[nodiscard]] inline std::string time_in_words(std::uint64_t nanoseconds) {
    if (nanoseconds < 1000) return std::to_string(nanoseconds) + " ns";
    const char* const units[] = {"us", "ms", "s"};
    std::size_t unit = 0;
    std::uint64_t thousandths = nanoseconds;
    for (; thousandths >= 1'000'000 && unit < 2; ++unit) thousandths /= 1000;
    std::string text = std::to_string(thousandths / 1000);
    if (thousandths < 100'000) text += "." + std::to_string(thousandths % 1000 / 100);
    return text + " " + units[unit];
}

namespace detail {

/// The parts as a list: `a`, `a and b`, `a, b and c`.
[[nodiscard]] inline std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (std::size_t i = 0; i < parts.size(); ++i)
        text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
    return text;
}
/// A block as briefly as it can be named.
[[nodiscard]] inline std::string briefly(const named_block& named) {
    const std::string name = "'" + named.name + "'";
    if (named.block.kind == block_kind::code) return "the code of " + name;
    if (named.block.kind == block_kind::scratch) return "the scratch of " + name;
    return named.name.empty() ? "the buffer at offset " + size_in_words(named.block.where.offset) : name;
}
/// The first few, and how many there are beyond.
[[nodiscard]] inline std::string some_of(std::vector<std::string> names) {
    constexpr std::size_t most = 4;
    if (names.size() > most + 1) {
        const std::size_t others = names.size() - most;
        names.resize(most);
        names.push_back(std::to_string(others) + " more");
    }
    return joined(names);
}
[[nodiscard]] inline std::string counted(std::uint64_t count, const char* one, const char* many) {
    return count == 1 ? std::string("1 ") + one : std::to_string(count) + " " + many;
}

/// A block: what it is, how large, where, and why it stays there.
[[nodiscard]] inline std::string in_words(const named_block& culprit) {
    const block_view& block = culprit.block;
    const std::string name = culprit.name.empty() ? "" : " '" + culprit.name + "'";
    const auto what = [&]() -> std::string {
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
            return culprit.name.empty() ? "an unnamed buffer" : "buffer" + name;
        }
    };
    std::string text =
        what() + " (" + size_in_words(block.where.size) + " at offset " + size_in_words(block.where.offset);
    if (block.holds != 0) text += ", in use by " + counted(block.holds, "run", "runs") + " in flight";
    if (block.pins != 0) text += ", pinned from outside";
    if (block.kind == block_kind::deferred) text += ", which returns when frees take effect";
    if (block.holds + block.pins == 0 && block.kind == block_kind::data && !culprit.may_move)
        text += ", which this manager may not move";
    return text + ")";
}

/// Why it does not fit.
[[nodiscard]] inline std::string cause_in_words(const explanation& what) {
    std::vector<std::string> culprits;
    for (const named_block& culprit : what.culprits) culprits.push_back(in_words(culprit));
    const std::string missing = size_in_words(what.shortfall);
    switch (what.trouble) {
    case cause::none:
        return what.why.reason == error::none ? "It fits.\n"
                                              : "Why: that alone would fit now. What came before it in the same run "
                                                "took the room: explain the run "
                                                "itself to learn more.\n";
    case cause::call:
        return what.why.reason == error::device_failed ? "" : "Why: the call itself is wrong; no room would help.\n";
    case cause::capped_bottom:
        return "Why: " + joined(culprits) + " ends the free run at the bottom, which is " + missing + " too short.\n";
    case cause::too_little_free:
        return "Why: " + missing + " more would have to be free." +
               (culprits.empty() ? "" : " The most is held by " + joined(culprits) + ".") + "\n";
    case cause::scattered:
        break;
    }
    return "Why: the free memory is in pieces. The longest, " + size_in_words(what.best_run.size) + " at offset " +
           size_in_words(what.best_run.offset) + ", " +
           (culprits.empty()       ? ""
            : culprits.size() == 1 ? "lies beside " + joined(culprits) + " and "
                                   : "lies between " + joined(culprits) + " and ") +
           (what.shortfall == 0 ? "has no place that is aligned as it must be.\n" : "is " + missing + " too short.\n");
}

/// One remedy, as something to do. `part` is what less can be asked of.
[[nodiscard]] inline std::string in_words(const named_advice& given, const char* part) {
    const auto as_told = [](std::uint64_t bytes) {
        return size_in_words(bytes) + " (" + std::to_string(bytes) + " bytes)";
    };
    std::vector<std::string> parts;
    std::vector<std::string> unpinned;
    std::vector<std::string> evicted;
    std::vector<std::string> moved;
    std::uint64_t moved_bytes = 0;
    std::uint64_t copies = 0;
    for (const named_block& pinned : given.unpinned) unpinned.push_back(briefly(pinned));
    for (std::size_t i = 0; i < given.what.steps.steps.size(); ++i) {
        const step& next = given.what.steps.steps[i];
        if (next.what == remedy::wait) {
            parts.push_back(next.nanoseconds == 0 ? "let pending frees take effect" : "wait for runs in flight");
            if (next.bytes != 0) parts.back() += " (" + size_in_words(next.bytes) + " return)";
        } else if (next.what == remedy::evict) {
            evicted.push_back("'" + given.steps[i].name + "'");
        } else {
            const std::string name = briefly(given.steps[i]);
            if (std::find(moved.begin(), moved.end(), name) == moved.end()) moved.push_back(name);
            moved_bytes += next.bytes;
            copies += next.copies;
        }
    }
    const bool same = unpinned == moved;
    if (!unpinned.empty() && !same) parts.push_back("unpin " + some_of(unpinned));
    if (!evicted.empty())
        parts.push_back((evicted.size() == 1 ? "evict program " : "evict programs ") + some_of(evicted));
    if (!moved.empty())
        parts.push_back((same ? "unpin and move " : "move ") + some_of(moved) + " (" + size_in_words(moved_bytes) +
                        " in " + counted(copies, "copy", "copies") + ")");
    if (!given.what.donate.empty()) {
        std::vector<std::string> arguments;
        for (const std::uint32_t argument : given.what.donate) arguments.push_back(std::to_string(argument));
        parts.push_back((arguments.size() == 1 ? "donate argument " : "donate arguments ") + joined(arguments) +
                        " of the run");
    }
    if (given.what.ask_for) parts.push_back("ask for at most " + as_told(*given.what.ask_for) + part);
    if (given.what.capacity) parts.push_back("have a memory of " + as_told(*given.what.capacity));
    if (parts.empty()) return {};
    std::string text = joined(parts);
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
    if (!given.what.steps.steps.empty()) text += ": " + time_in_words(given.what.nanoseconds());
    return text;
}

/// What was proven.
[[nodiscard]] inline std::string conclusion_in_words(const explanation& what) {
    const std::string everything = "even with all fences reached, all other programs evicted and nothing pinned, ";
    switch (what.conclusion) {
    case verdict::found:
        return "";
    case verdict::none_found:
        return "No way was found to make it fit as it is. That does not prove that there is none.\n";
    case verdict::not_enough_bytes:
        return "Nothing makes it fit as it is: " + everything + size_in_words(what.missing) + " would be missing.\n";
    case verdict::walls:
        break;
    }
    return "Nothing makes it fit as it is: " + everything + "what is left cannot make way.\n";
}

}  // namespace detail

/// Several lines: the runtime's message, the cause, the remedies, and what was proven.
[[nodiscard]] inline std::string to_text(const explanation& what) {
    std::string text = what.message + "\n" + detail::cause_in_words(what);
    if (what.trouble == cause::none || what.trouble == cause::call) return text;
    text += detail::conclusion_in_words(what);
    if (what.remedies.empty()) return text;
    text += what.conclusion == verdict::found ? "What would help, cheapest first:\n" : "What would help instead:\n";
    const char* const part = what.tried != attempt::kind::load                ? ""
                             : what.why.reason == error::scratch_does_not_fit ? " of scratch"
                                                                              : " of code";
    bool moves = false;
    bool evicts = false;
    bool donates = false;
    for (std::size_t i = 0; i < what.remedies.size(); ++i) {
        text += "  " + std::to_string(i + 1) + ". " + detail::in_words(what.remedies[i], part) + "\n";
        moves = moves || what.remedies[i].what.has(remedy::move);
        evicts = evicts || what.remedies[i].what.has(remedy::evict);
        donates = donates || !what.remedies[i].what.donate.empty();
    }
    if (moves && !what.moves_by_itself)
        text += "Moves are made by hand here, with relieve(): a manager with compacting<> makes them by itself.\n";
    if (evicts && !what.evicts_by_itself)
        text += "Evictions are made by hand here, with relieve(): another eviction policy makes them by itself.\n";
    if (donates && !what.donates_by_itself)
        text += "Nothing takes over what is donated here: another donation policy lets outputs do so.\n";
    const bool one = what.remedies.size() == 1;
    return text + (one ? "It was" : "Each was") + " tried on a copy of this memory, where " +
           (what.tried == attempt::kind::allocate ? "the allocation"
            : what.tried == attempt::kind::run    ? "the run"
                                                  : "loading") +
           " then succeeded.\n";
}

}  // namespace hbm
