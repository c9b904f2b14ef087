#pragma once

/// A table that fits the screen.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/tables/report.hpp"

namespace hbm::compare {

/// The columns to show, and what was done to make them fit.
struct fitted_table {
    std::vector<table_column> columns;
    std::vector<std::string> notes;
};

/// Makes a table at most `width` characters wide, as far as that can be done: columns with the same text in every row
/// go, except the most important; a placement that several names share is written `...`; then the least important
/// columns go, one by one, rather than costs and times names are broken into lines, and a note says what went, both
/// where `names_left_out`; rows that cannot be told apart by what is left become one. A table without managers of its
/// own is left as it is. O(columns^2 x rows x name length).
[[nodiscard]] fitted_table fit_table(const chapter& of, std::size_t width, bool names_left_out);

/// Returns the width of a table: its columns with two blanks between them. O(columns x rows).
[[nodiscard]] std::size_t width_of(const std::vector<table_column>& columns);

/// Returns the width of a column. O(rows).
[[nodiscard]] std::size_t width_of(const table_column& column);

}  // namespace hbm::compare
