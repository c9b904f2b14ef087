#pragma once
// Reads the text form of protocol buffers field by field, without knowing their schema.

#include <hbm/core/language.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hbm::imported::xla {

/// A cursor over a text of the form `name: value  name { name: value }`. It knows `name: [value, value]`, quoted values
/// and comments after `#`. The text must outlive the cursor.
class text_proto {
public:
    /// The result of a step.
    enum class step : std::uint8_t {
        field,  ///< `name` has `value`; each value of a list is a step
        open,   ///< the message `name` begins
        close,  ///< the innermost message ends
        end,    ///< the text ends
        wrong,  ///< something else comes next
    };

    /// Before the first field.
    explicit text_proto(std::string_view text) noexcept : text_(text) {}

    /// Steps to what comes next. O(length of it).
    step next() noexcept {
        for (;;) {
            skip_blanks();
            if (at_ == text_.size()) return step::end;
            if (in_list_ && accept(',')) continue;
            if (in_list_ && !accept(']')) return read_value();
            if (in_list_) {
                in_list_ = false;
                continue;
            }
            if (accept('}')) return step::close;
            name_ = word();
            if (name_.empty()) return step::wrong;
            skip_blanks();
            const bool has_colon = accept(':');
            skip_blanks();
            if (accept('{')) return step::open;
            if (!has_colon) return at_ == text_.size() ? step::end : step::wrong;
            if (!accept('[')) return read_value();
            in_list_ = true;
        }
    }
    /// The name of the field or message.
    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    /// The value of the field; of a quoted value, what stands in the quotes.
    [[nodiscard]] std::string_view value() const noexcept { return value_; }
    /// The line, from 1.
    [[nodiscard]] std::size_t line() const noexcept { return line_; }
    /// The byte of the line that comes next, from 1.
    [[nodiscard]] std::size_t column() const noexcept { return at_ - line_begin_ + 1; }
    /// What comes next.
    [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }

private:
    step read_value() noexcept {
        if (at_ == text_.size()) return step::end;
        const char quote = text_[at_];
        if (quote != '"' && quote != '\'') {
            value_ = word();
            return value_.empty() ? step::wrong : step::field;
        }
        std::size_t end = at_ + 1;
        while (end < text_.size() && text_[end] != quote && text_[end] != '\n') end += text_[end] == '\\' ? 2U : 1U;
        if (end >= text_.size()) {
            at_ = text_.size();
            return step::end;
        }
        if (text_[end] != quote) return step::wrong;
        value_ = text_.substr(at_ + 1, end - at_ - 1);
        at_ = end + 1;
        return step::field;
    }

    bool accept(char wanted) noexcept {
        if (at_ == text_.size() || text_[at_] != wanted) return false;
        ++at_;
        return true;
    }

    /// A name, a number or an enumerator.
    std::string_view word() noexcept {
        const std::size_t begin = at_;
        const auto belongs = [](char each) {
            return (each >= 'a' && each <= 'z') || (each >= 'A' && each <= 'Z') || (each >= '0' && each <= '9') ||
                   each == '_' || each == '.' || each == '-' || each == '+';
        };
        while (at_ < text_.size() && belongs(text_[at_])) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    /// Steps over blanks, separators and comments.
    void skip_blanks() noexcept {
        bool in_comment = false;
        for (; at_ < text_.size(); ++at_) {
            const char each = text_[at_];
            if (each == '\n') {
                ++line_;
                line_begin_ = at_ + 1;
                in_comment = false;
            } else if (each == '#') {
                in_comment = true;
            } else if (!in_comment && each != ' ' && each != '\t' && each != '\r' && each != ';') {
                return;
            }
        }
    }

    std::string_view text_;
    std::string_view name_;
    std::string_view value_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t line_begin_ = 0;
    bool in_list_ = false;
};

}  // namespace hbm::imported::xla
