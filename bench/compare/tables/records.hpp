#pragma once
/// The result for other programs: every key of every manager.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// A key of a record and its value.
struct field {
    std::string key;
    std::optional<std::string> value;  ///< empty: null
    bool is_text = false;              ///< otherwise a number or a truth value, spelled as in JSON
};

/// A row of the result.
using record = std::vector<field>;

/// Keys with the place of a row in a sweep.
enum class axis_keys : std::uint8_t {
    swept,  ///< those of axes that have several values
    all,    ///< the capacity asked for and the seed in any case, so that rows of different commands can be told apart
};

/// All records: workload by workload in the order given, managers in list order.
[[nodiscard]] std::vector<record> all_records(const std::vector<comparison>& of, const selection& who,
                                              axis_keys keys = axis_keys::swept);

/// Members next to the rows in JSON, as JSON; empty: none.
struct beside_rows {
    std::string_view shard = {};           ///< which part of a result the rows are
    std::string_view recommendation = {};  ///< which manager to take
    std::string_view interrupted = {};     ///< how much of the result is there
};

/// The documented JSON, with a record on each line.
[[nodiscard]] std::string json_text(const std::vector<record>& all, const beside_rows& more = {});

/// Returns the records as CSV with a header row; null is an empty cell.
[[nodiscard]] std::string csv_text(const std::vector<record>& all);

/// Appends a cell of CSV, in quotes if it needs them (RFC 4180).
void add_cell(std::string& into, std::string_view text);

}  // namespace hbm::compare
