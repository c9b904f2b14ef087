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
#include "compare/read/reading.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/assignment/describe_assignment.hpp"
#include "compare/read/xla/shape.hpp"

namespace hbm::imported::xla {

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

}  // namespace hbm::imported::xla

namespace hbm::imported::xla {

/// Describes the configuration of a module. With `global_shapes` the bytes are those of whole arrays; a device holds a
/// share of each.
/// Cost: O(arrays).
[[nodiscard]] description describe(const module_config& of);

}  // namespace hbm::imported::xla
