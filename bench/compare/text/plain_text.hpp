#pragma once
/// A log as the program printed it, without what terminals, log collectors, notebooks and web pages did to it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// Text of a log, and the places of its lines in the original.
struct plain_text {
    /// A line of `text`.
    struct line {
        std::size_t begin = 0;     ///< offset in `text`
        std::size_t number = 0;    ///< line of the original, from 1
        std::uint32_t worker = 0;  ///< worker that printed it: a number from 1, by the prefix; 0 without one
    };
    std::string text = {};
    std::vector<line> lines = {};

    /// Returns the line of the original that `at`, an offset in `text`, comes from. Cost: O(log lines).
    [[nodiscard]] std::size_t line_of(std::size_t at) const;
};

/// Returns the plain text of a log. One pass each undoes: colours; line ends that are written out; entities of HTML;
/// signs of Markdown and of word processors; prefixes of log lines, quotations and workers; digits in groups, decimal
/// commas, and numbers broken by a blank or by a line end. Control characters become question marks.
/// Cost: O(length).
[[nodiscard]] plain_text plain_text_of(std::string_view original);

/// Returns the text with all lines of a worker together, if several workers printed it, in the order of their first
/// lines. Lines without a prefix come first. Cost: O(length).
[[nodiscard]] plain_text sorted_by_worker(plain_text text);

/// Returns a text whose lines a terminal broke within words, with these lines joined: those that are as long as the
/// longest, or a byte shorter for a blank that was cut off. Empty if there are no such lines. Cost: O(length).
[[nodiscard]] std::string unwrapped(std::string_view text);

}  // namespace hbm::imported
