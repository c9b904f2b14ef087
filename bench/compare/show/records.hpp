#pragma once
/// The result for other programs: every figure of every manager.

#include <string>
#include <string_view>

#include "compare/grid/result.hpp"

namespace hbm::compare {

/// Returns the documented JSON, a row of `rows` on each line: workload by workload in the order given, managers in list
/// order. `answer` is the answer as JSON; empty: none.
[[nodiscard]] std::string result_json(const result& of, std::string_view answer = {});

/// Returns the same rows as CSV with a header row; null is an empty cell.
[[nodiscard]] std::string result_csv(const result& of);

/// Appends a cell of CSV, in quotes if it needs them (RFC 4180).
void add_cell(std::string& target, std::string_view text);

}  // namespace hbm::compare
