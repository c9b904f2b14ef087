#include <algorithm>

#include "compare/report.hpp"

namespace hbm::compare {

namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view plain = "\x1b[0m";

/// Text with or without colour.
class painter {
public:
    explicit painter(bool coloured) : coloured_(coloured) {}

    [[nodiscard]] std::string paint(std::string_view text, std::string_view colour) const {
        return coloured_ && !colour.empty() ? std::string(colour) + std::string(text) + std::string(plain)
                                            : std::string(text);
    }

    [[nodiscard]] std::string paint(const table_cell& cell) const {
        return paint(cell.text, cell.how == accent::good ? green : cell.how == accent::bad ? red : std::string_view{});
    }

private:
    bool coloured_;
};

std::size_t width_of(const table_column& column) {
    std::size_t width = column.title.size();
    for (const table_cell& cell : column.cells) width = std::max(width, cell.text.size());
    return width;
}

/// A line of the table; `cell_of` gives the text without colour, for its width, and the text to print.
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
std::string item(std::string_view all) {
    const std::string_view text = all.substr(0, all.find('\n'));
    constexpr std::size_t widest = 118;
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

}  // namespace

std::string plain_text(const report& what, bool coloured) {
    const painter brush(coloured);
    std::string text;
    for (const chapter& each : what.chapters) {
        text += (text.empty() ? "" : "\n") + brush.paint(each.title, bold) + ": " + each.about + "\n\n";
        if (!each.columns.empty())
            text += line(each.columns, [&](const table_column& column) {
                return std::pair(column.title, brush.paint(column.title, bold));
            });
        for (std::size_t row = 0; row < rows_of(each); ++row)
            text += line(each.columns, [&](const table_column& column) {
                return std::pair(column.cells[row].text, brush.paint(column.cells[row]));
            });
        if (!each.columns.empty()) text += '\n';
        for (const std::string& finding : each.findings) text += item(finding);
    }
    if (!what.findings.empty()) text += '\n' + brush.paint("All workloads together", bold) + "\n\n";
    for (const std::string& finding : what.findings) text += item(finding);
    return text;
}

}  // namespace hbm::compare
