#pragma once
/// Finds key words and the sizes next to them, across line breaks.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// Part of a text that is searched for key words. Spaces in key words match any white space, line ends included.
class window {
public:
    static constexpr std::size_t nowhere = std::string_view::npos;

    explicit window(std::string_view text) noexcept : text_(text) {}

    [[nodiscard]] std::string_view text() const noexcept { return text_; }

    [[nodiscard]] static bool is_space(char letter) noexcept;

    /// Returns the end of `words` if they stand at `at`, or else `nowhere`.
    [[nodiscard]] std::size_t end_of(std::string_view words, std::size_t at) const noexcept;

    /// Returns the end of the first `words` at or after `from`, or else `nowhere`.
    /// Cost: O(length of the text), unless the word before the first space is very frequent.
    [[nodiscard]] std::size_t find(std::string_view words, std::size_t from = 0) const noexcept;
    /// Like `find()`, for a word that stands alone: not a part of a longer word.
    [[nodiscard]] std::size_t find_word(std::string_view word, std::size_t from = 0) const noexcept;

    [[nodiscard]] std::size_t after_spaces(std::size_t at) const noexcept;

    /// Returns the text of the size at or after `at`; empty if there is none. Only white space, colons, equals and
    /// greater signs, opening brackets and quotation marks may precede it.
    [[nodiscard]] std::string_view size_text(std::size_t at) const noexcept;

    /// Returns the offset of a text that `size_text` returned.
    [[nodiscard]] std::size_t offset_of(std::string_view part) const noexcept;

    /// Returns the text from `at` to the end of its line, without white space around it.
    [[nodiscard]] std::string_view rest_of_line(std::size_t at) const noexcept;

private:
    /// Like `find()`, for words after white space. It searches for the words, since white space is frequent.
    [[nodiscard]] std::size_t find_after_space(std::string_view words, std::size_t from) const noexcept;

    std::string_view text_;
};

/// Text, and the offset of each of its bytes in the original.
struct plain_text {
    std::string text = {};
    std::vector<std::uint32_t> origins = {};  ///< offset of each byte in the original
};

/// Appends the text between `begin` and `end` of `original` to `into`, without what tools add. Escaped `\n` and `\t`
/// become characters, typographic quotation marks and blanks plain ones, and decimal commas points. Backslashes before
/// punctuation, `**`, backquotes and stamps of logs are removed. A line stays a line, and control characters become
/// question marks. `at_line_begin`: true if `begin` starts a line. Offsets above 2^32 wrap: a caller with longer texts
/// reads them in parts.
/// Cost: O(end - begin).
void add_plain_text(plain_text& target, std::string_view original, std::size_t begin, std::size_t end,
                    bool at_line_begin = true);

}  // namespace hbm::imported
