#pragma once
// Reads the header of an HLO module: one line, megabytes long for large programs, of keys and values.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/read/description.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported::xla {

/// An alias or a donor as the header has it.
struct stated_alias {
    index_path output;  ///< array of the result; meaningless for a donor
    std::uint64_t parameter = 0;
    index_path index;
    bool must = false;
    std::size_t at = 0;  ///< position in the text
};

/// Content of a header.
struct module_header {
    std::string_view name;
    bool is_scheduled = false;
    std::uint64_t num_partitions = 1;
    std::uint64_t replica_count = 1;
    bool states_layouts = false;
    std::vector<shape_leaf> parameters;  ///< shapes of the parameters; each index begins with the parameter's number
    std::vector<shape_leaf> result;
    std::size_t parameters_at = 0;  ///< position in the text
    std::vector<stated_alias> aliases;
    std::vector<stated_alias> donors;
};

/// Steps over `, key=value`. The value ends at a comma or the end of the line, outside of quotes and brackets.
/// Fails: returns false if no key comes next, or if a bracket or quote is not closed. The cursor then is at the comma
/// or the value.
/// Cost: O(length).
[[nodiscard]] bool next_attribute(text_cursor& cursor, std::string_view& key, std::size_t& value) noexcept;

/// Reader of headers of modules.
class module_header_reader {
public:
    /// Constructs a reader before the name of the module, at the byte `at` of the text. The text must outlive the
    /// reader.
    module_header_reader(std::string_view text, std::size_t at) noexcept : text_(text), cursor_(text, at) {}

    /// Reads the header. Returns false if it is wrong. Cost: O(length).
    bool read(module_header& target);

    /// Returns the position behind the header, or that of the error.
    [[nodiscard]] std::size_t at() const noexcept { return cursor_.at(); }
    /// Returns the text that was expected there, after a failure.
    [[nodiscard]] std::string_view expected() const noexcept { return expected_; }

private:
    bool fail(std::string_view expected) noexcept;
    void read_name(module_header& target) noexcept;
    bool read_value(module_header& target, std::string_view key);
    bool read_count(std::uint64_t& target);

    /// Reads `{ {0}: (0, {}, may-alias), {1, 0}: (1, {}) }`.
    bool read_aliases(std::vector<stated_alias>& target);

    /// Reads `{ (3, {}), (4, {1}) }`.
    bool read_donors(std::vector<stated_alias>& target);

    /// Reads `(3, {})` or `(3, {1}, must-alias)`.
    bool read_parameter(stated_alias& target);

    /// Reads `{(f32[2]{0}, s32[])->f32[2]{0}}`.
    bool read_layouts(module_header& target);

    bool read_shape(std::vector<shape_leaf>& target);

    std::string_view text_;
    text_cursor cursor_;
    std::string_view expected_;
};

/// A parameter or the result of the entry computation.
struct entry_value {
    std::uint64_t parameter = 0;  ///< number of the parameter; 0 for the result
    std::size_t shape_at = 0;     ///< byte of the text at which its shape begins
    std::string_view sharding;    ///< sharding; empty if none is stated
    std::string_view label;       ///< the user's name for it, with backslashes before quotes; empty if unknown
};

/// The entry computation.
struct module_entry {
    std::string_view name;
    bool is_whole = false;  ///< true if its end was found
    std::vector<entry_value> parameters;
    std::optional<entry_value> result;  ///< value of ROOT; without one, that of the last instruction
    bool has_root = false;              ///< true if an instruction is marked ROOT
};

/// Reads the entry computation that begins at or after the byte `at` of the text; empty if there is none. Lines of
/// another form are skipped. Cost: O(length).
[[nodiscard]] std::optional<module_entry> read_module_entry(std::string_view text, std::size_t at);

}  // namespace hbm::imported::xla
