#pragma once
// Reads the text of an HLO module, as --xla_dump_to and compiled.as_text() write it.

#include <string>
#include <string_view>

#include "compare/read/reading.hpp"
#include "compare/read/xla/module/module.hpp"

namespace hbm::imported::xla {

/// Reads the text of an HLO module; `file` is for messages. It stops after arguments and outputs; the sum of their
/// bytes is below 2^64.
/// Cost: O(length).
[[nodiscard]] reading<hlo_module> read_module(std::string_view text, const std::string& file);

}  // namespace hbm::imported::xla
