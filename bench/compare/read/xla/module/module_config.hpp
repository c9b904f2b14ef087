#pragma once
// The configuration of a module: the file `...hlo_module_config.txt` of a dump for TPU.
//
// It has the layouts of the program's arguments and outputs, which reports leave out. With several partitions its
// shapes are those of whole arrays, not of the share of a device.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/shape.hpp"

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

/// Array of a parameter or of the result.
struct configured_array {
    std::uint64_t parameter = 0;  ///< unused for outputs
    index_path index;
    array_shape shape;
    std::string text;  ///< shape as XLA prints it, with all its tiles
};

/// The configuration of a module.
struct module_config {
    std::vector<configured_array> arguments;
    std::vector<configured_array> outputs;  ///< arrays of the result; complete if `has_result`
    bool has_result = false;
    std::optional<std::uint64_t> replica_count;
    std::optional<std::uint64_t> num_partitions;
    std::size_t cut_line = not_cut;  ///< line at which the file stops too early, from 1; else `not_cut`

    /// Returns true if the shapes are those of whole arrays; a device holds a share of each.
    [[nodiscard]] bool has_global_shapes() const noexcept { return num_partitions.value_or(1) > 1; }
};

/// Reads the configuration of a module. `file` appears in messages. Cost: O(size).
reading<module_config> read_module_config(std::string_view text, std::string file);

/// Describes the configuration of a module. With `global_shapes` the bytes are those of whole arrays; a device holds a
/// share of each.
/// Cost: O(arrays).
[[nodiscard]] description describe(const module_config& subject);

}  // namespace hbm::imported::xla
