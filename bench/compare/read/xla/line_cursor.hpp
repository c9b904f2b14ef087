#pragma once
// Reads the text files of an XLA dump line by line, and a line word by word.


#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hbm::imported::xla {

/// A position in a line. All steps leave it where it was if they fail.
class line_cursor {
public:
    /// At the begin of the line.
    explicit line_cursor(std::string_view line) noexcept : line_(line) {}

    /// Steps over `words` if they come next.
    bool accept(std::string_view words) noexcept;
    /// Steps over all spaces and tabs that come next.
    void skip_blanks() noexcept;
    /// Steps over an unsigned decimal number below 2^64.
    bool number(std::uint64_t& value) noexcept;
    /// Steps over a number below 2^32.
    bool number(std::uint32_t& value) noexcept;
    /// Steps to the next of these characters and returns what was before it; false if there is none.
    bool until(std::string_view any_of, std::string_view& before) noexcept;

    /// What comes next.
    [[nodiscard]] std::string_view rest() const noexcept { return line_.substr(at_); }
    /// Whether the line is at its end.
    [[nodiscard]] bool done() const noexcept { return at_ == line_.size(); }
    /// The byte of the line that comes next, from 1.
    [[nodiscard]] std::size_t column() const noexcept { return at_ + 1; }

private:
    std::string_view line_;
    std::size_t at_ = 0;
};

/// The lines of a text. Ends of lines are LF or CRLF and belong to no line.
class text_lines {
public:
    /// Before the first line. The text must outlive the cursor and the lines.
    explicit text_lines(std::string_view text) noexcept : rest_(text) {}

    /// Steps to the next line; false at the end of the text.
    bool next() noexcept;
    /// The line.
    [[nodiscard]] std::string_view line() const noexcept { return line_; }
    /// The number of the line, from 1; 0 before the first.
    [[nodiscard]] std::size_t number() const noexcept { return number_; }
    /// Whether the line has an end. The last line of a file that was cut has none.
    [[nodiscard]] bool is_ended() const noexcept { return is_ended_; }

private:
    std::string_view rest_;
    std::string_view line_;
    std::size_t number_ = 0;
    bool is_ended_ = false;
};

}  // namespace hbm::imported::xla
