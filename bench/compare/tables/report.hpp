#pragma once

/// The report before its layout: tables, and findings as sentences.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "compare/tables/folded.hpp"

namespace hbm::compare {

/// The emphasis of a cell if colour is allowed.
enum class accent : std::uint8_t { none, good, bad };

struct table_cell {
    std::string text;
    accent how = accent::none;
};

struct table_column {
    std::string title;
    bool is_number = false;         ///< aligned to the right
    unsigned rank = 0;              ///< what has the highest rank is left out first where space is short; 0: never
    bool is_timed = false;          ///< measured on the host, and so never quite the same
    std::vector<table_cell> cells;  ///< a cell for each row
};

/// The part of the report about a workload.
struct chapter {
    std::string title;
    std::string about;                  ///< rows, peak, capacity, quantum
    std::vector<folded_row> rows;       ///< of the table; their managers must outlive it; without figures over seeds
    std::vector<table_column> columns;  ///< none where no manager can complete the workload
    std::vector<std::string> findings;  ///< lines after the first are set already
    std::shared_ptr<const trace::figures> yardstick = {};  ///< of the row for it, where there is one
};

/// Returns the number of rows of the table. O(1).
[[nodiscard]] inline std::size_t rows_of(const chapter& of) {
    return of.columns.empty() ? 0 : of.columns.front().cells.size();
}

/// The report.
struct report {
    std::vector<chapter> chapters;
    std::vector<std::string> findings;                     ///< over all workloads; empty when there is only one
    std::string_view together = "All workloads together";  ///< the heading of these
};

/// The layout of the report.
struct report_layout {
    bool is_wide = false;     ///< a row for each manager, full names, all columns
    bool is_brief = false;    ///< without findings that the tables show as well
    std::size_t width = 120;  ///< of a table, in characters
};

/// The note on a minimum capacity that the search found not to be a bound; the names of managers follow.
inline constexpr std::string_view least_that_works =
    "A minimum capacity is the least that works; a larger one may fail, as was seen under ";

/// Makes the report.
[[nodiscard]] report make_report(const std::vector<comparison>& of, const selection& who,
                                 const report_layout& layout = {});

/// The columns of a table; empty columns are left out.
[[nodiscard]] std::vector<table_column> make_columns(const comparison& of, const selection& who,
                                                     const std::vector<folded_row>& rows);

/// Returns findings about the rows of a workload, as sentences. `is_brief`: without findings that the table shows.
[[nodiscard]] std::vector<std::string> make_findings(const scenario& in, const std::vector<folded_row>& rows,
                                                     bool is_brief = false);

/// Returns findings about all workloads together, as sentences.
[[nodiscard]] std::vector<std::string> make_conclusion(const std::vector<comparison>& of, const selection& who);

/// Plain text with aligned columns, coloured if asked for.
[[nodiscard]] std::string plain_text(const report& what, bool coloured, const report_layout& layout = {});

/// Returns the report in Markdown.
[[nodiscard]] std::string markdown_text(const report& what);

}  // namespace hbm::compare
