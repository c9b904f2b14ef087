#pragma once
/// Reads results that were written as JSON.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/cells/luck.hpp"
#include "compare/managers/manager_list.hpp"
#include "compare/read/json_reader.hpp"
#include "compare/read/read_error.hpp"
#include "compare/replay/figures.hpp"
#include "compare/sweeps/shard.hpp"
#include "compare/tables/records.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// File of the schema hbm-compare/1.
struct stored_result {
    std::string file;
    std::string text;                  ///< whole text
    json_value whole;                  ///< JSON value without its rows
    std::vector<record> rows;          ///< rows in the order of the file; all have the same keys
    std::vector<std::size_t> offsets;  ///< offset of each row in `text`
};

/// Reads a result. Returns an error message, with FILE:LINE:COLUMN, or an empty text.
[[nodiscard]] std::string read_stored(const std::string& file, stored_result& stored);

/// Reads the figures of a row. Returns an error message, or an empty text. Cost: O(keys^2).
[[nodiscard]] std::string read_figures(const record& from, trace::figures& figures);

/// Returns the needs over variants in a row; empty if it has none.
/// Cost: O(keys).
[[nodiscard]] std::optional<luck> read_luck(const record& from);

/// Returns the value of a key; null if there is no such key, or no value. Cost: O(keys).
[[nodiscard]] const std::string* stored_text(const record& from, std::string_view key);

/// State of a single run of the command. Its members point into each other.
struct merged_comparison {
    options asked;  ///< options of the command that made the shards, and of `merge`
    chosen_managers managers;
    std::vector<scenario> scenarios;
    std::vector<comparison> compared;
};

/// Reads or generates the workloads again and takes the figures from the shards. Workloads and managers must be those
/// of the shards. Returns an error message, with a remedy, or an empty text.
[[nodiscard]] std::string restore(const options& settings, std::span<const manager_entry> own,
                                  const merged_shards& from, merged_comparison& target);

}  // namespace hbm::compare
