#include "compare/tables/lines.hpp"

#include <algorithm>

#include "compare/tables/fitted.hpp"

namespace hbm::compare {

namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view no_colour = "\x1b[0m";

/// Returns a line of a table; `cell_of` returns the text without colour, for its width, and the text to print.
template <class Cell>
std::string line(const std::vector<table_column>& columns, Cell cell_of) {
    std::string result;
    std::size_t gap = 0;  // blanks to write before the next cell, so that no line ends with blanks
    for (const table_column& column : columns) {
        const auto [text, painted] = cell_of(column);
        const std::size_t fill = width_of(column) - text.size();
        if (!text.empty()) {
            result.append(gap + (column.is_number ? fill : 0), ' ');
            result += painted;
            gap = 2 + (column.is_number ? 0 : fill);
        } else {
            gap += 2 + fill;
        }
    }
    return result + '\n';
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> result;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        result.emplace_back(text.substr(from, end - from));
        from = end + 1;
    }
    return result;
}

std::string title_lines(const std::vector<table_column>& columns, const painter& brush) {
    std::size_t height = 0;
    for (const table_column& column : columns) height = std::max(height, lines_of(column.title).size());
    std::string result;
    for (std::size_t at = 0; at < height; ++at)
        result += line(columns, [&](const table_column& column) {
            const std::vector<std::string> all = lines_of(column.title);
            const std::string text = at + all.size() < height ? std::string{} : all[at + all.size() - height];
            return std::pair(text, brush.heading(text));
        });
    return result;
}

}  // namespace

std::string painter::heading(std::string_view text) const {
    return paint(text, bold);
}

std::string painter::cell(const table_cell& subject) const {
    return paint(subject.text, subject.how == accent::good  ? green
                               : subject.how == accent::bad ? red
                                                            : std::string_view{});
}

std::string painter::paint(std::string_view text, std::string_view colour) const {
    return coloured_ && !colour.empty() && !text.empty()
               ? std::string(colour) + std::string(text) + std::string(no_colour)
               : std::string(text);
}

std::string table_lines(const std::vector<table_column>& columns, const painter& brush) {
    if (columns.empty()) return {};
    std::string result = title_lines(columns, brush);
    for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
        const std::string& name = columns.front().cells[row].text;
        const std::size_t end = std::min(name.find('\n'), name.size());
        result += line(columns, [&](const table_column& column) {
            if (&column == &columns.front()) return std::pair(name.substr(0, end), name.substr(0, end));
            return std::pair(column.cells[row].text, brush.cell(column.cells[row]));
        });
        if (end != name.size()) result += name.substr(end + 1) + '\n';
    }
    return result;
}

std::string paragraph(std::string_view first, std::string_view text, std::size_t width) {
    const std::string_view begin = text.substr(0, text.find('\n'));
    const std::size_t widest = std::max<std::size_t>(width, 40);
    const std::string indent(first.size(), ' ');
    std::string result(first);
    std::size_t column = result.size();
    for (std::size_t from = 0; from < begin.size();) {
        const std::size_t space = std::min(begin.find(' ', from), begin.size());
        if (column + (space - from) + 1 > widest && column > indent.size()) {
            result += '\n' + indent;
            column = indent.size();
        } else if (column > indent.size()) {
            result += ' ';
            ++column;
        }
        result += begin.substr(from, space - from);
        column += space - from;
        from = space + 1;
    }
    result += '\n';
    if (begin.size() != text.size())
        for (const std::string& entry : lines_of(text.substr(begin.size() + 1))) result += indent + entry + '\n';
    return result;
}

std::vector<std::vector<table_column>> parts_of(const std::vector<table_column>& columns, std::size_t width) {
    std::vector<std::vector<table_column>> result;
    for (std::size_t at = 1; at < columns.size(); ++at) {
        if (!result.empty()) {
            result.back().push_back(columns[at]);
            if (width_of(result.back()) <= width || result.back().size() == 2) continue;
            result.back().pop_back();
        }
        result.push_back({columns.front(), columns[at]});
    }
    return result;
}

}  // namespace hbm::compare
