#pragma once
// Reads a trace in any of the supported grammars, which its header row distinguishes. README.md has ours.

#include <string>
#include <string_view>

#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Reads a trace in this project's grammar, a MiniMalloc instance or an RMM log. `name` appears in messages and becomes
/// the workload's name. Throws `read_error` for an invalid text. Cost: O(size); MiniMalloc O(n log n).
[[nodiscard]] workload read_text(std::string_view text, std::string name);

/// Reads a trace file; see `read_text`. A gzip file is recognised by its first bytes.
[[nodiscard]] workload read_file(const std::string& path);

}  // namespace hbm::trace
