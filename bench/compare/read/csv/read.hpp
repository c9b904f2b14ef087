#pragma once
// Reads a trace in any of the supported grammars, which its header row distinguishes, and writes this project's.

#include <string>
#include <string_view>

#include "compare/read/csv/text_file.hpp"
#include "compare/read/read_error.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Reads a trace in this project's grammar, a MiniMalloc instance or an RMM log. `name` appears in messages and becomes
/// the workload's name. An invalid text gives an error and no workload. Cost: O(size); MiniMalloc O(n log n).
read_result read_text(std::string_view text, std::string name);

/// Reads a trace like `read_text` for a whole text.
read_result read_text(text_file& file, std::string name);

/// Reads a trace file; see `read_text`. A gzip file is recognised by its first bytes.
read_result read_file(const std::string& path);

/// Returns the workload as a trace in this project's grammar, which has neither `skipped`, nor notes, nor the name.
/// Reading it back gives the same workload.
std::string to_csv(const workload& result);

}  // namespace hbm::trace
