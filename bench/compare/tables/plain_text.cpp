
#include <algorithm>

#include "compare/tables/fitted.hpp"
#include "compare/tables/report.hpp"

namespace hbm::compare {

namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view no_colour = "\x1b[0m";

/// Text with or without colour.
class painter {
public:
    explicit painter(bool coloured) : coloured_(coloured) {}

    [[nodiscard]] std::string paint(std::string_view text, std::string_view colour) const {
        return coloured_ && !colour.empty() ? std::string(colour) + std::string(text) + std::string(no_colour)
                                            : std::string(text);
    }

    [[nodiscard]] std::string paint(const table_cell& cell) const {
        return paint(cell.text, cell.how == accent::good ? green : cell.how == accent::bad ? red : std::string_view{});
    }

private:
    bool coloured_;
};

/// Returns a line of the table; `cell_of` returns the text without colour, for its width, and the text to print.
template <class Cell>
std::string line(const std::vector<table_column>& columns, Cell cell_of) {
    std::string made;
    std::size_t gap = 0;  // blanks to write before the next cell, so that no line ends with blanks
    for (const table_column& column : columns) {
        const auto [text, painted] = cell_of(column);
        const std::size_t fill = width_of(column) - text.size();
        made.append(gap + (column.is_number ? fill : 0), ' ');
        made += painted;
        gap = 2 + (column.is_number ? 0 : fill);
    }
    return made + '\n';
}

/// `  - text`, broken between words. Lines after the first are not broken.
std::string item(std::string_view all, std::size_t width) {
    const std::string_view text = all.substr(0, all.find('\n'));
    const std::size_t widest = std::clamp<std::size_t>(width, 42, 120) - 2;
    std::string made = "  - ";
    std::size_t column = made.size();
    for (std::size_t from = 0; from < text.size();) {
        const std::size_t space = std::min(text.find(' ', from), text.size());
        if (column + (space - from) + 1 > widest && column > 4) {
            made += "\n    ";
            column = 4;
        } else if (column > 4) {
            made += ' ';
            ++column;
        }
        made += text.substr(from, space - from);
        column += space - from;
        from = space + 1;
    }
    made += '\n';
    for (std::size_t from = text.size() + 1; from < all.size();) {
        const std::size_t end = std::min(all.find('\n', from), all.size());
        (made += "    ") += all.substr(from, end - from);
        made += '\n';
        from = end + 1;
    }
    return made;
}

/// Returns the heading of a chapter, broken between words.
std::string heading(const chapter& of, std::size_t width, const painter& brush) {
    const std::string text = of.title + ": " + of.about;
    const std::size_t widest = std::max<std::size_t>(width, 40);
    std::string rest;
    std::size_t begin = 0;
    while (text.size() - begin > widest) {
        const std::size_t end = text.rfind(' ', begin + widest);
        if (end == std::string::npos || end <= std::max(begin, of.title.size())) break;
        rest += text.substr(begin, end - begin) + "\n  ";
        begin = end + 1;
    }
    rest += text.substr(begin) + '\n';
    return brush.paint(of.title, bold) + rest.substr(of.title.size());
}

}  // namespace

std::string plain_text(const report& what, bool coloured, const report_layout& layout) {
    const painter brush(coloured);
    std::string text;
    for (const chapter& each : what.chapters) {
        const fitted_table table = layout.is_wide ? fitted_table{.columns = each.columns, .notes = {}}
                                                  : fit_table(each, layout.width, !layout.is_brief);
        const std::vector<table_column>& columns = table.columns;
        text += text.empty() ? "" : "\n";
        text += heading(each, layout.width, brush);
        if (!columns.empty()) {
            text += '\n';
            text += line(columns, [&](const table_column& column) {
                return std::pair(column.title, brush.paint(column.title, bold));
            });
            for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
                const std::string& name = columns.front().cells[row].text;
                const std::size_t end = std::min(name.find('\n'), name.size());
                text += line(columns, [&](const table_column& column) {
                    if (&column == &columns.front()) return std::pair(name.substr(0, end), name.substr(0, end));
                    return std::pair(column.cells[row].text, brush.paint(column.cells[row]));
                });
                if (end != name.size()) text += name.substr(end + 1) + '\n';
            }
        }
        if (!table.notes.empty() || !each.findings.empty()) text += '\n';
        for (const std::string& note : table.notes) text += item(note, layout.width);
        for (const std::string& finding : each.findings) text += item(finding, layout.width);
    }
    if (!what.findings.empty()) text += '\n' + brush.paint(what.together, bold) + "\n\n";
    for (const std::string& finding : what.findings) text += item(finding, layout.width);
    return text;
}

namespace {

/// Returns text with the special characters of Markdown escaped.
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
