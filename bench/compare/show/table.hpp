#pragma once
/// Tables of texts, for a terminal and in Markdown.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::compare {

/// Emphasis of a cell if colour is allowed.
enum class accent : std::uint8_t { none, good, bad };

struct table_cell {
    std::string text;
    accent how = accent::none;
};

struct table_column {
    std::string title;      ///< may have several lines
    bool is_number = true;  ///< true if aligned to the right
    unsigned rank = 0;      ///< the highest is left out first if the table is too wide; 0: never
    std::vector<table_cell> cells = {};
};

/// Columns with as many cells each; the first has names.
using text_table = std::vector<table_column>;

/// Makes rows with equal cells one row, except in the first `heads`: `best_fit (and 2 more)`.
/// Cost: O(cells log rows).
void fold_equal_rows(text_table& all, std::size_t heads);

/// Leaves out columns until the table is at most `width` characters wide, if possible. Returns their titles in a list.
[[nodiscard]] std::string fit_columns(text_table& all, std::size_t width);

/// Returns the columns in groups that fit `width` if possible, each with the first column.
[[nodiscard]] std::vector<text_table> parts_of(const text_table& all, std::size_t width);

/// Returns the titles, then the rows, coloured if requested.
[[nodiscard]] std::string table_text(const text_table& all, bool coloured);

/// Returns the table in Markdown.
[[nodiscard]] std::string table_markdown(const text_table& all);

/// Returns text with the special characters of Markdown escaped.
[[nodiscard]] std::string markdown_literal(std::string_view text);

}  // namespace hbm::compare
