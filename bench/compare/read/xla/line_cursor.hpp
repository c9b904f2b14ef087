#pragma once
// Reads the text files of an XLA dump line by line, and a line word by word.

#include <hbm/core/language.hpp>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace hbm::imported::xla {

/// A position in a line. All steps leave it where it was if they fail.
class line_cursor {
public:
    /// At the begin of the line.
    explicit line_cursor(std::string_view line) noexcept : line_(line) {}

    /// Steps over `words` if they come next.
    bool accept(std::string_view words) noexcept {
        if (!rest().starts_with(words)) return false;
        at_ += words.size();
        return true;
    }
    /// Steps over all spaces and tabs that come next.
    void skip_blanks() noexcept {
        while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    }
    /// Steps over an unsigned decimal number below 2^64.
    bool number(std::uint64_t& value) noexcept {
        const char* const begin = line_.data() + at_;
        const auto [stop, problem] = std::from_chars(begin, line_.data() + line_.size(), value);
        if (problem != std::errc{}) return false;
        at_ += static_cast<std::size_t>(stop - begin);
        return true;
    }
    /// Steps over a number below 2^32.
    bool number(std::uint32_t& value) noexcept {
        const std::size_t before = at_;
        std::uint64_t wide = 0;
        if (number(wide) && wide <= 0xffff'ffff) {
            value = static_cast<std::uint32_t>(wide);
            return true;
        }
        at_ = before;
        return false;
    }
    /// Steps to the next of these characters and returns what was before it; false if there is none.
    bool until(std::string_view any_of, std::string_view& before) noexcept {
        const std::size_t end = line_.find_first_of(any_of, at_);
        if (end == std::string_view::npos) return false;
        before = line_.substr(at_, end - at_);
        at_ = end;
        return true;
    }

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
    bool next() noexcept {
        if (rest_.empty()) return false;
        const std::size_t end = rest_.find('\n');
        is_ended_ = end != std::string_view::npos;
        line_ = rest_.substr(0, end);
        rest_ = is_ended_ ? rest_.substr(end + 1) : std::string_view{};
        if (line_.ends_with('\r')) line_.remove_suffix(1);
        ++number_;
        return true;
    }
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
