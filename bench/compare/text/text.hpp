#pragma once
// Text functions shared by readers, writers and generators.

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace hbm::trace {

/// Reads an unsigned decimal number. False if the text has anything but digits, or the number exceeds 2^64-1.
bool parse_number(std::string_view text, std::uint64_t& value);

/// Appends a number in decimal.
void append_number(std::string& text, std::uint64_t value);

/// A number in decimal.
std::string decimal(std::uint64_t value);

/// The text without what steers a terminal: control characters but those in `kept` are escaped, `\x1b` or, of two
/// bytes in UTF-8, `\xc2\x9b`. O(length of the text).
std::string printable(std::string_view text, std::string_view kept = {});

/// The text between backticks for a message of a single line: unprintable bytes are escaped, a long text is truncated.
std::string quoted(std::string_view text);

/// The text as a shell takes it for one word: between apostrophes, unless it has only what no shell reads otherwise.
/// O(length of the text).
std::string shell_word(std::string_view text);

/// The edit distance of two words (Levenshtein): how many characters must be inserted, removed or replaced. O(product
/// of the lengths).
std::size_t edit_distance(std::string_view left, std::string_view right);

/// The end of a message about an unknown word: "; did you mean `name`?" with the closest name of a list, or "." if no
/// name is close. A name is close if it differs in at most half of its characters. O(total length of the list x length
/// of the word).
template <class Range, class Name>
std::string nearest_words(std::string_view word, const Range& all, Name name_of) {
    std::string_view nearest;
    std::size_t min_distance = std::numeric_limits<std::size_t>::max();
    for (const auto& each : all) {
        const std::string_view name = name_of(each);
        const std::size_t distance = edit_distance(word, name);
        if (2 * distance <= name.size() && distance < min_distance) {
            nearest = name;
            min_distance = distance;
        }
    }
    return nearest.empty() ? "." : "; did you mean " + quoted(nearest) + "?";
}

}  // namespace hbm::trace

namespace hbm {

/// Returns the text in UTF-8: bytes that are not valid become the replacement character. Readers of such formats refuse
/// a whole file for a single wrong byte. Cost: O(length).
[[nodiscard]] std::string valid_text(std::string_view text);

}  // namespace hbm

namespace hbm::imported {

/// The most characters in a line of an answer.
inline constexpr std::size_t line_width = 100;

/// `words` broken into lines of at most `line_width` characters, where a word is not longer; a number and its `%` stay
/// together. The first line begins with `first`, the others with as many spaces. Ends with a newline. O(length).
[[nodiscard]] std::string wrapped(std::string_view words, std::string_view first = {});

}  // namespace hbm::imported

namespace hbm::compare {

/// Returns the text without characters that steer a terminal, which the name of a file may contain: line ends and
/// tabulators stay, other control characters are escaped. Colours of tables stay if the text is `coloured`.
[[nodiscard]] std::string terminal_text(std::string_view text, bool coloured = false);

/// Whether `pattern` matches all of `text`: `*` matches any characters, including `/`, `?` any single character, and
/// other characters themselves. O(product of the lengths) at worst.
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
