#pragma once
// Describes the text of an HLO module in the schema hbm-describe/1.

#include <string>
#include <string_view>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/module/module.hpp"

namespace hbm::imported::xla {

/// Describes a module. Temporaries, constants and code are not in the text, so the peak is unknown;
/// "peak_bytes_at_least" is a lower bound. If "global_shapes" is true, sizes are those of whole arrays, "share_bytes"
/// those of one device.
/// Cost: O(arguments + outputs).
[[nodiscard]] description describe(const hlo_module& module);

/// Reads and describes the text of a module; `file` is for messages. Cost: O(length).
[[nodiscard]] reading<description> describe_module(std::string_view text, const std::string& file);

}  // namespace hbm::imported::xla
