#pragma once

/// Table that fits the screen.

#include <cstddef>
#include <string>
#include <vector>

#include "compare/tables/report.hpp"

namespace hbm::compare {

/// Columns to show, and the changes that make them fit.
struct fitted_table {
    std::vector<table_column> columns;
    std::vector<std::string> notes;
};

/// Makes a table at most `width` characters wide, if possible. Columns with the same text in every row go, except the
/// most important. A placement that several names share is written `...`. Then the least important columns go, one by
/// one. With `names_left_out`, names are broken into lines before costs and times go, and a note lists the omissions.
/// Rows that the remaining columns cannot distinguish become one. A table without managers of its own stays unchanged.
/// Cost: O(columns^2 x rows x name length).
[[nodiscard]] fitted_table fit_table(const chapter& subject, std::size_t width, bool names_left_out);

/// Returns the width of a table: its columns with two blanks between them. Cost: O(columns x rows).
[[nodiscard]] std::size_t width_of(const std::vector<table_column>& columns);

/// Returns the width of a column. Cost: O(rows).
[[nodiscard]] std::size_t width_of(const table_column& column);

}  // namespace hbm::compare
