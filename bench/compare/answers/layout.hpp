#pragma once

/// What lies where at the end of a memory snapshot of PyTorch, written as a trace.

#include <string>
#include <vector>

namespace hbm::compare {

/// Reads the snapshot at `path` and writes the layout of the device `device`, or of the first if that is empty, as
/// import rows into `csv`. Returns what is wrong, or an empty text. Appends to `warnings` what is said beside it.
[[nodiscard]] std::string write_layout(const std::string& path, const std::string& device, std::string& csv,
                                       std::vector<std::string>& warnings);

}  // namespace hbm::compare
