#pragma once
/// The report before its layout: tables, and findings as sentences.

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/tables/texts.hpp"

namespace hbm::compare {

/// Row of the table, for a manager or several managers with the same figures.
struct folded_row {
    const manager_entry* who = nullptr;  ///< baseline, the preferred, or else the first of its managers in list order
    std::size_t others = 0;              ///< number of its other managers, without a second name of this one
    const trace::figures* found = nullptr;
    bool is_yardstick = false;  ///< true for the yardstick, which is not a manager and not ranked

    /// Returns the name or alias: `best_fit`, or `best_fit (and 11 more)`.
    [[nodiscard]] std::string label() const;
    /// Returns the minimum capacity; empty if unknown.
    [[nodiscard]] std::optional<std::uint64_t> minimum() const;
    /// Returns the footprint in unlimited memory; empty if unknown. It is another measure than the minimum capacity:
    /// the two are never ranked together.
    [[nodiscard]] std::optional<std::uint64_t> footprint() const;
};

/// Returns the rows of a workload, best first. Managers that complete come before managers that fail. Then those come
/// first that need less memory, spend less on relief, or fragment less. `tpu::runtime_memory` comes before all of them
/// if it takes part and the workload has programs: it is the manager in use today.
[[nodiscard]] std::vector<folded_row> fold(const comparison& compared, const selection& chosen);

/// Emphasis of a cell if colour is allowed.
enum class accent : std::uint8_t { none, good, bad };

struct table_cell {
    std::string text;
    accent how = accent::none;
};

struct table_column {
    std::string title;
    bool is_number = false;         ///< true if aligned to the right
    unsigned rank = 0;              ///< priority of omission if space is short, highest first; 0: never
    std::vector<table_cell> cells;  ///< cells of the rows
};

/// Part of the report about a workload.
struct chapter {
    std::string title;
    std::string about;                                     ///< rows, peak, capacity, quantum
    std::vector<folded_row> rows;                          ///< rows of the table; their managers must outlive it
    std::vector<table_column> columns;                     ///< columns; none if no manager can complete the workload
    std::vector<std::string> findings;                     ///< findings; lines after the first are already indented
    std::shared_ptr<const trace::figures> yardstick = {};  ///< figures of the yardstick's row, if there is one
    const manager_entry* baseline = nullptr;               ///< manager whose row keeps its name if rows become one
};

/// Returns the number of rows of the table. Cost: O(1).
[[nodiscard]] inline std::size_t rows_of(const chapter& subject) {
    return subject.columns.empty() ? 0 : subject.columns.front().cells.size();
}

/// Whole report.
struct report {
    std::vector<table_column> summary;  ///< managers by workloads; empty for a single workload
    std::vector<std::string> remarks;   ///< explanations of the summary
    std::vector<chapter> chapters;
    std::vector<std::string> findings;  ///< findings over all workloads; empty if there is only one
    std::vector<std::string> names;     ///< aliases with the names that they stand for
    std::vector<std::string> answer;    ///< manager to take, and why; empty for a single manager
};

/// Layout of the report.
struct report_layout {
    bool is_brief = false;     ///< true to omit findings that the tables show as well
    bool has_details = false;  ///< true for a chapter about each workload, in addition to the summary
    std::size_t width = 120;   ///< width of a table, in characters
};

/// Makes the report.
[[nodiscard]] report make_report(const std::vector<comparison>& all, const selection& chosen,
                                 const report_layout& layout = {});

/// Returns the columns of a table; empty columns are left out.
[[nodiscard]] std::vector<table_column> make_columns(const comparison& compared, const std::vector<folded_row>& rows);

/// Returns findings about the rows of a workload, as sentences. `is_brief`: without findings that the table shows.
[[nodiscard]] std::vector<std::string> make_findings(const scenario& load, const std::vector<folded_row>& rows,
                                                     bool is_brief = false);

/// Returns findings about all workloads together, as sentences.
[[nodiscard]] std::vector<std::string> make_conclusion(const std::vector<comparison>& all, const selection& chosen);

/// Returns plain text with aligned columns, coloured if requested.
[[nodiscard]] std::string plain_text(const report& what, bool coloured, const report_layout& layout = {});

/// Returns the report in Markdown.
[[nodiscard]] std::string markdown_text(const report& what);

}  // namespace hbm::compare
