#pragma once
// What the trace tests share.

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "compare/read/csv/read.hpp"
#include "compare/read/read_error.hpp"
#include "compare/replay/workload.hpp"

/// Returns the message of the error in this text, without `f.csv:` before it; empty if there is none.
inline std::string message_of(std::string_view text) {
    try {
        (void)hbm::trace::read_text(text, "f.csv");
        return {};
    } catch (const hbm::trace::read_error& error) {
        const std::string words = error.what();
        REQUIRE_MESSAGE(words.starts_with("f.csv:"), words);
        return words.substr(6);
    }
}

/// Reads a text that has to be right.
inline hbm::trace::workload read_right(std::string_view text) {
    return hbm::trace::read_text(text, "f.csv");
}

/// A workload as short words, one row each: the independent notation that tests compare.
inline std::string in_words(const hbm::trace::workload& made) {
    static constexpr std::string_view names[] = {"alloc", "free", "load",   "run",  "unload", "pin",
                                                 "unpin", "sync", "import", "work", "wait"};
    const auto number = [](std::uint64_t value) {
        return value == hbm::trace::unspecified ? std::string{"-"} : std::to_string(value);
    };
    std::string words;
    for (const auto& each : made.rows) {
        words += names[static_cast<std::size_t>(each.what)];
        if (each.what != hbm::trace::op::sync) words.append(" ").append(made.ids[each.subject]);
        if (each.bytes != 0) words += " " + number(each.bytes);
        if (each.tag != 0) words += " #" + made.tags[each.tag];
        if (each.detail != hbm::trace::no_detail) {
            const auto& more = made.details[each.detail];
            if (each.what == hbm::trace::op::load) {
                words += " scratch " + number(more.scratch) + " reload " + number(more.reload_us);
            }
            if (each.what == hbm::trace::op::import) words += " at " + number(more.offset);
            const auto list = [&](std::string_view title, hbm::trace::operand_range range) {
                if (range.count == 0) return;
                words += " " + std::string{title};
                for (std::uint32_t at = 0; at < range.count; ++at) {
                    words.append(" ").append(made.ids[made.operands[range.first + at]]);
                }
            };
            list("uses", more.inputs);
            list("takes", more.donated);
            if (more.outputs.count != 0) words += " gives";
            for (std::uint32_t at = 0; at < more.outputs.count; ++at) {
                const auto& output = made.outputs[more.outputs.first + at];
                words.append(" ").append(made.ids[output.name]).append(":" + number(output.bytes));
            }
            if (more.us != hbm::trace::unspecified) words += " for " + number(more.us);
        }
        words += "; ";
    }
    return words;
}
