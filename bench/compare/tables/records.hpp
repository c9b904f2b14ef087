#pragma once
/// The result for other programs: every key of every manager.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// Key of a record with its value.
struct field {
    std::string key;
    std::optional<std::string> value;  ///< value; empty: null
    bool is_text = false;              ///< true for a text, false for a number or a truth value, spelled as in JSON
};

/// Row of the result.
using record = std::vector<field>;

/// Returns all records: workload by workload in the order given, managers in list order.
[[nodiscard]] std::vector<record> all_records(const std::vector<comparison>& all, const selection& chosen);

/// Members next to the rows in JSON, as JSON; empty: none.
struct beside_rows {
    std::string_view interrupted = {};  ///< extent of a partial result
};

/// Returns the documented JSON, with a record on each line.
[[nodiscard]] std::string json_text(const std::vector<record>& all, const beside_rows& more = {});

/// Returns the records as CSV with a header row; null is an empty cell.
[[nodiscard]] std::string csv_text(const std::vector<record>& all);

/// Appends a cell of CSV, in quotes if it needs them (RFC 4180).
void add_cell(std::string& target, std::string_view text);

}  // namespace hbm::compare
