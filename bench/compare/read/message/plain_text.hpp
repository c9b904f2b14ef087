#pragma once

/// Text as people paste it: without stamps of logs, Markdown, quotation marks of mails, and escapes.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// A text and where each of its bytes was in the original.
struct plain_text {
    std::string text = {};
    std::vector<std::uint32_t> origins = {};  ///< one for each byte: its offset in the original
};

/// The text between `begin` and `end` of `original`, without what people's tools add. Written out `\n` and `\t` become
/// what they mean; backslashes before punctuation, `**` and backquotes go, and so do stamps of logs. A line stays a
/// line, and control characters become question marks. Adds to `into`. O(end - begin). Offsets above 2^32 wrap: a
/// caller with longer texts reads them in parts. `at_line_begin`: whether `begin` is where a line begins.
void add_plain_text(plain_text& into, std::string_view original, std::size_t begin, std::size_t end,
                    bool at_line_begin = true);

}  // namespace hbm::imported
