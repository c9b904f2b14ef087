#pragma once
/// Reads results that were written as JSON.

#include <string>
#include <vector>

#include "compare/read/json_reader.hpp"
#include "compare/read/read_error.hpp"
#include "compare/replay/figures.hpp"
#include "compare/tables/records.hpp"

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
[[nodiscard]] std::string read_stored(const std::string& file, stored_result& into);

/// Reads the figures of a row. Returns an error message, or an empty text. Cost: O(keys^2).
[[nodiscard]] std::string read_figures(const record& from, trace::figures& into);

/// Returns the value of a key; null if there is no such key, or no value. Cost: O(keys).
[[nodiscard]] const std::string* value_of(const record& from, std::string_view key);

}  // namespace hbm::compare
