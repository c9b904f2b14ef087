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

/// Keys with the place of a row in a sweep.
enum class axis_keys : std::uint8_t {
    swept,  ///< keys of axes that have several values
    all,    ///< requested capacity and seed in any case, to distinguish rows of different commands
};

/// Returns all records: workload by workload in the order given, managers in list order.
[[nodiscard]] std::vector<record> all_records(const std::vector<comparison>& all, const selection& chosen,
                                              axis_keys keys = axis_keys::swept);

/// Members next to the rows in JSON, as JSON; empty: none.
struct beside_rows {
    std::string_view shard = {};           ///< part of a result that the rows are
    std::string_view recommendation = {};  ///< recommended manager
    std::string_view interrupted = {};     ///< extent of a partial result
};

/// Returns the documented JSON, with a record on each line.
[[nodiscard]] std::string json_text(const std::vector<record>& all, const beside_rows& more = {});

/// Returns the records as CSV with a header row; null is an empty cell.
[[nodiscard]] std::string csv_text(const std::vector<record>& all);

/// Appends a cell of CSV, in quotes if it needs them (RFC 4180).
void add_cell(std::string& target, std::string_view text);

}  // namespace hbm::compare
