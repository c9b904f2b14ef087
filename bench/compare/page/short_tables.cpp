#include "compare/page/short_tables.hpp"

#include <algorithm>

#include "compare/managers/named_managers.hpp"
#include "compare/page/escape.hpp"
#include "compare/tables/report.hpp"
#include "compare/tables/seed_table.hpp"

namespace hbm::compare {

namespace {

std::string cell_html(const table_cell& cell) {
    const char* const kind = cell.how == accent::bad    ? " class=\"lf\""
                             : cell.how == accent::good ? " class=\"l0\""
                                                        : "";
    return "<td" + std::string(kind) + ">" + html_text(cell.text) + "</td>";
}

/// Returns the table; the first column holds the heads of the rows.
std::string table_html(const std::vector<table_column>& columns) {
    std::string text = "<div class=\"scroll\" role=\"region\" aria-label=\"Managers over seeds\" tabindex=\"0\"><table "
                       "class=\"figures seeds\"><thead><tr>";
    for (const table_column& column : columns) text += "<th scope=\"col\">" + html_name(column.title) + "</th>";
    text += "</tr></thead><tbody>\n";
    for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
        text += "<tr><th scope=\"row\">" + html_name(columns.front().cells[row].text) + "</th>";
        for (std::size_t at = 1; at < columns.size(); ++at) text += cell_html(columns[at].cells[row]);
        text += "</tr>\n";
    }
    return text + "</tbody></table></div>\n";
}

std::string paragraphs(const std::vector<std::string>& sentences) {
    std::string text;
    for (const std::string& sentence : sentences) text += "<p class=\"note\">" + html_text(sentence) + "</p>\n";
    return text;
}

}  // namespace

std::string seeds_html(const std::vector<comparison>& all, const selection& chosen) {
    const std::vector<seed_group> groups = grouped_by_seed(all);
    if (std::none_of(groups.begin(), groups.end(), [](const seed_group& group) { return group.size() > 1; })) return {};
    // Without a note on further tables of the terminal.
    const report contents = make_report_over_seeds(all, chosen, {.has_details = true});
    if (!contents.summary.empty()) return table_html(contents.summary) + paragraphs(contents.remarks);
    const chapter& only = contents.chapters.front();
    return (only.columns.empty() ? std::string{} : table_html(only.columns)) + paragraphs(only.findings);
}

std::string names_html(const selection& chosen) {
    const std::vector<std::string> lines = names_explained(chosen);
    if (lines.empty()) return {};
    std::string text = "<details id=\"names\"><summary>Names of managers, and their types</summary><ul>";
    for (const std::string& line : lines) text += "<li>" + html_name(line) + "</li>";
    return text + "</ul></details>\n";
}

}  // namespace hbm::compare
