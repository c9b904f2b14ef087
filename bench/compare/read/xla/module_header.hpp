#pragma once
// The header of an HLO module, one line of keys and values, megabytes long for large programs; and its entry
// computation.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "compare/read/xla/shape.hpp"
#include "compare/read/xla/text_cursor.hpp"

namespace hbm::imported {

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

/// Steps over the header from the name of the module on, and returns it. Throws `text_mistake`. Cost: O(length).
[[nodiscard]] module_header take_header(text_cursor& cursor);

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

}  // namespace hbm::imported
