#pragma once
// Text functions shared by readers, writers and generators.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::trace {

/// Reads an unsigned decimal number. Returns false if the text has other characters than digits, or the number exceeds
/// 2^64-1.
bool parse_number(std::string_view text, std::uint64_t& value);

/// Appends a number in decimal.
void append_number(std::string& text, std::uint64_t value);

/// Returns a number in decimal.
std::string decimal(std::uint64_t value);

/// Returns the text without control of a terminal: control characters except `kept` become `\x1b` or, for two bytes in
/// UTF-8, `\xc2\x9b`. Bytes that are not UTF-8 become the replacement character.
/// Cost: O(length of the text).
std::string printable(std::string_view text, std::string_view kept = {});

/// Returns the text between backticks for a message of a single line: unprintable bytes are escaped, and
/// those that are not UTF-8 become the replacement character. A text of more than 60 bytes after that is cut between
/// characters and followed by three dots.
std::string quoted(std::string_view text);

/// Returns the text as one word of a shell: between apostrophes, unless all its characters are safe.
/// Cost: O(length of the text).
std::string shell_word(std::string_view text);

/// Returns the edit distance of two words: the number of characters to insert, remove or replace, and of neighbours to
/// swap (optimal string alignment).
/// Cost: O(product of the lengths).
std::size_t edit_distance(std::string_view left, std::string_view right);

/// Returns the end of a message about an unknown word: "; did you mean `name`?" with the closest name of a list, or "."
/// if no name is close. A name is close if it differs in less than half of its characters, or begins with the word.
/// Cost: O(total length of the list x length of the word).
template <class Range, class Name>
std::string nearest_words(std::string_view word, const Range& all, Name name_of) {
    std::string_view nearest;
    std::size_t min_distance = std::numeric_limits<std::size_t>::max();
    for (const auto& each : all) {
        const std::string_view name = name_of(each);
        const bool is_begun = word.size() > 2 && name.starts_with(word);
        const std::size_t distance = is_begun ? 1 : edit_distance(word, name);
        if (2 * distance < name.size() && distance < min_distance) {
            nearest = name;
            min_distance = distance;
        }
    }
    return nearest.empty() ? "." : "; did you mean " + quoted(nearest) + "?";
}

}  // namespace hbm::trace

namespace hbm {

/// Returns true for a decimal digit of ASCII.
[[nodiscard]] constexpr bool is_digit(char letter) noexcept {
    return letter >= '0' && letter <= '9';
}

/// Returns true for a letter of ASCII.
[[nodiscard]] constexpr bool is_letter(char letter) noexcept {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// Returns the text with small letters of ASCII.
[[nodiscard]] std::string lower_case(std::string_view text);

/// Returns true if one of the parts is in the text.
[[nodiscard]] bool has_any(std::string_view text, std::span<const std::string_view> parts) noexcept;

/// Returns the text between the quotation marks behind `field`, such as `name="`; empty without it.
[[nodiscard]] std::string_view quoted_field(std::string_view text, std::string_view field) noexcept;

/// Appends an item to a list, after `separator` unless it is the first.
void append_item(std::string& list, std::string_view item, std::string_view separator = ", ");

/// Returns the start of a text in UTF-8: whole characters of at most `bytes` in all.
[[nodiscard]] std::string_view first_characters(std::string_view text, std::size_t bytes) noexcept;

/// Returns the text in UTF-8: invalid bytes become the replacement character. Readers of such formats reject a whole
/// file for a single wrong byte.
/// Cost: O(length).
[[nodiscard]] std::string valid_text(std::string_view text);

}  // namespace hbm

namespace hbm::imported {

/// Limit on the characters in a line of an answer.
inline constexpr std::size_t line_width = 80;

/// Returns `words` broken into lines of at most `width` characters, unless a word is longer; a number and its `%` stay
/// together. The first line begins with `first`, the others with as many spaces. Ends with a newline.
/// Cost: O(length).
[[nodiscard]] std::string wrapped(std::string_view words, std::string_view first = {}, std::size_t width = line_width);

/// Returns rows as lines, columns two blanks apart after `first`. Cells of the first column, and of the last if
/// `is_last_left`, begin at its left, others end at its right. All rows have as many cells as the first.
/// Cost: O(cells).
[[nodiscard]] std::string aligned(const std::vector<std::vector<std::string>>& rows, std::string_view first = {},
                                  bool is_last_left = false);

}  // namespace hbm::imported

namespace hbm::compare {

/// Returns the text without control of a terminal, which the name of a file may contain. Line ends and tabulators stay,
/// other control characters are escaped. Colours of tables stay if the text is `coloured`.
[[nodiscard]] std::string terminal_text(std::string_view text, bool coloured = false);

/// Returns the text with lines of more than `width` characters broken, between words if possible. What is broken off
/// begins two blanks further to the right than its line. Lines with colours stay.
/// Cost: O(length).
[[nodiscard]] std::string fold_lines(std::string_view text, std::size_t width);

/// Returns true if `pattern` matches all of `text`: `*` matches any characters, including `/`, `?` any single
/// character, and other characters themselves.
/// Cost: O(product of the lengths) at worst.
[[nodiscard]] constexpr bool glob_matches(std::string_view pattern, std::string_view text) noexcept {
    std::size_t at = 0;
    std::size_t star = std::string_view::npos;  // the latest star, and the end of what it matches so far
    std::size_t run_end = 0;
    for (std::size_t here = 0; here < text.size();) {
        if (at < pattern.size() && pattern[at] == '*') {
            star = at++;
            run_end = here;
        } else if (at < pattern.size() && (pattern[at] == '?' || pattern[at] == text[here])) {
            ++at;
            ++here;
        } else if (star != std::string_view::npos) {
            at = star + 1;
            here = ++run_end;
        } else {
            return false;
        }
    }
    while (at < pattern.size() && pattern[at] == '*') ++at;
    return at == pattern.size();
}

}  // namespace hbm::compare
