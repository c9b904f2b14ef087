#include "compare/tables/report.hpp"

namespace hbm::compare {

namespace {

/// Text with the special characters of Markdown escaped.
std::string literal(std::string_view text) {
    std::string made;
    for (const char each : text) {
        if (std::string_view("\\`*_{}[]<>#|").find(each) != std::string_view::npos) made += '\\';
        made += each == '\n' || each == '\r' ? ' ' : each;
    }
    return made;
}

void add_line(std::string& into, const std::vector<table_column>& columns, auto text_of) {
    into += '|';
    for (const table_column& column : columns) into += ' ' + text_of(column) + " |";
    into += '\n';
}

void add_items(std::string& into, const std::vector<std::string>& all) {
    into += '\n';
    for (const std::string& each : all) into += "- " + literal(each) + '\n';
}

}  // namespace

std::string markdown_text(const report& what) {
    std::string text;
    for (const chapter& each : what.chapters) {
        text += (text.empty() ? "## " : "\n## ") + literal(each.title) + "\n\n" + literal(each.about) + "\n\n";
        if (!each.columns.empty()) {
            add_line(text, each.columns, [](const table_column& column) { return literal(column.title); });
            add_line(text, each.columns,
                     [](const table_column& column) { return std::string(column.is_number ? "--:" : "---"); });
        }
        for (std::size_t row = 0; row < rows_of(each); ++row)
            add_line(text, each.columns, [&](const table_column& column) { return literal(column.cells[row].text); });
        add_items(text, each.findings);
    }
    if (!what.findings.empty()) {
        text += "\n## " + std::string(what.together) + "\n";
        add_items(text, what.findings);
    }
    return text;
}

}  // namespace hbm::compare
