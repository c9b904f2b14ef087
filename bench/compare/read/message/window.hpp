#pragma once
/// Looking for key words and the sizes beside them, wherever a text breaks its lines.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// A part of a text that is searched for key words. Spaces in key words stand for any white space, line ends included.
class window {
public:
    static constexpr std::size_t nowhere = std::string_view::npos;

    explicit window(std::string_view text) noexcept : text_(text) {}

    [[nodiscard]] std::string_view text() const noexcept { return text_; }

    [[nodiscard]] static bool is_space(char each) noexcept;
    [[nodiscard]] static constexpr bool is_digit(char each) noexcept { return each >= '0' && each <= '9'; }
    [[nodiscard]] static bool is_letter(char each) noexcept;

    /// Where `words` end if they stand at `at`; `nowhere` if they do not.
    [[nodiscard]] std::size_t end_of(std::string_view words, std::size_t at) const noexcept;

    /// Where `words` first end at or after `from`; `nowhere` if they are not there. The word before the first space
    /// decides how quick this is. O(length of the text), unless the first word stands there very often.
    [[nodiscard]] std::size_t find(std::string_view words, std::size_t from = 0) const noexcept;
    /// The same for a word that stands alone: not a part of a longer word.
    [[nodiscard]] std::size_t find_word(std::string_view word, std::size_t from = 0) const noexcept;

    [[nodiscard]] std::size_t after_spaces(std::size_t at) const noexcept;

    /// The text of a size that stands at or after `at`, with nothing but white space, colons, equals and greater signs,
    /// opening brackets and quotation marks before it; empty if none stands there.
    [[nodiscard]] std::string_view size_text(std::size_t at) const noexcept;

    /// The offset of a text that `size_text` returned.
    [[nodiscard]] std::size_t offset_of(std::string_view part) const noexcept;

    /// What stands from `at` to the end of its line, without white space around it.
    [[nodiscard]] std::string_view rest_of_line(std::size_t at) const noexcept;

private:
    /// The same with white space before the words, which is not looked for itself: there may be much of it.
    [[nodiscard]] std::size_t find_after_space(std::string_view words, std::size_t from) const noexcept;

    std::string_view text_;
};

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
