#pragma once
// Reads the entry computation of an HLO module, line by line: its parameters, its result, and their shardings.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace hbm::imported::xla {

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
    std::optional<entry_value> result;
};

/// Reads the entry computation that begins at or after the byte `at` of the text; empty if there is none. Lines of
/// another form are skipped. Cost: O(length).
[[nodiscard]] std::optional<module_entry> read_module_entry(std::string_view text, std::size_t at);

}  // namespace hbm::imported::xla
