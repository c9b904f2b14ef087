#pragma once
// Reads the text form of protocol buffers field by field, without their schema.

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hbm::imported::xla {

/// Cursor over a text of the form `name: value  name { name: value }`. It supports `name: [value, value]`, quoted
/// values and comments after `#`. The text must outlive the cursor.
class text_proto {
public:
    /// Result of a step.
    enum class step : std::uint8_t {
        field,  ///< `name` has `value`; each value of a list is a step
        open,   ///< the message `name` begins
        close,  ///< the innermost message ends
        end,    ///< the text ends
        wrong,  ///< something else comes next
    };

    /// Constructs a cursor before the first field.
    explicit text_proto(std::string_view text) noexcept : text_(text) {}

    /// Steps to the next item. Cost: O(its length).
    step next() noexcept;
    /// Returns the name of the field or message.
    [[nodiscard]] std::string_view name() const noexcept { return name_; }
    /// Returns the value of the field, without quotes.
    [[nodiscard]] std::string_view value() const noexcept { return value_; }
    /// Returns the line, from 1.
    [[nodiscard]] std::size_t line() const noexcept { return line_; }
    /// Returns the byte of the line that comes next, from 1.
    [[nodiscard]] std::size_t column() const noexcept { return at_ - line_begin_ + 1; }
    /// Returns the rest of the text.
    [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }

private:
    step read_value() noexcept;

    bool accept(char wanted) noexcept;

    /// Steps over a name, a number or an enumerator, and returns it.
    std::string_view word() noexcept;

    /// Steps over blanks, separators and comments.
    void skip_blanks() noexcept;

    std::string_view text_;
    std::string_view name_;
    std::string_view value_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t line_begin_ = 0;
    bool in_list_ = false;
};

}  // namespace hbm::imported::xla
