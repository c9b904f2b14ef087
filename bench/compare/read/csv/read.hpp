#pragma once
// Reads a trace in any of the supported grammars, which its header row distinguishes, and writes this project's.

#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Reads a trace in this project's grammar, a MiniMalloc instance or an RMM log. `name` appears in messages and becomes
/// the workload's name. An invalid text gives an error and no workload. Cost: O(size); MiniMalloc O(n log n).
read_result read_text(std::string_view text, std::string name);

/// Reads a whole file into `bytes`; returns false, with `error`, if that fails. Files without a size, such as pipes or
/// devices, are read up to 1 GiB; endless text is detected early.
bool read_bytes(const std::string& path, std::vector<char>& bytes, read_error& error);

/// Reads a whole file into `text`, and unpacks it if it begins like gzip. Returns false, with `error`, if that fails.
bool read_unpacked(const std::string& path, std::string& text, read_error& error);

/// Reads a trace file; see `read_text`. A gzip file is recognised by its first bytes.
read_result read_file(const std::string& path);

/// Returns the workload as a trace in this project's grammar, which has neither `skipped`, nor notes, nor the name.
/// Reading it back gives the same workload.
std::string to_csv(const workload& result);

}  // namespace hbm::trace
