#include "compare/show/table.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "compare/managers/named_managers.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

constexpr std::string_view bold = "\x1b[1m";
constexpr std::string_view green = "\x1b[32m";
constexpr std::string_view red = "\x1b[31m";
constexpr std::string_view no_colour = "\x1b[0m";

std::vector<std::string_view> lines_of(std::string_view text) {
    std::vector<std::string_view> result;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        result.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return result;
}

std::size_t width_of(const table_column& column) {
    std::size_t width = 0;
    for (const std::string_view line : lines_of(column.title)) width = std::max(width, line.size());
    for (const table_cell& cell : column.cells) width = std::max(width, cell.text.size());
    return width;
}

std::size_t width_of(const text_table& all) {
    std::size_t width = 0;
    for (const table_column& column : all) width += (width == 0 ? 0 : 2) + width_of(column);
    return width;
}

std::string painted(std::string_view text, std::string_view colour) {
    if (text.empty() || colour.empty()) return std::string(text);
    return std::string(colour) + std::string(text) + std::string(no_colour);
}

std::string_view colour_of(accent how) {
    if (how == accent::good) return green;
    return how == accent::bad ? red : std::string_view{};
}

/// Returns a line of a table; `cell_of` returns the text of a cell and its colour.
template <class Cell>
std::string line_text(const text_table& all, bool coloured, Cell cell_of) {
    std::string result;
    std::size_t gap = 0;  // blanks to write before the next cell, so that no line ends with blanks
    for (const table_column& column : all) {
        const auto [text, colour] = cell_of(column);
        const std::size_t fill = width_of(column) - text.size();
        if (text.empty()) {
            gap += 2 + fill;
            continue;
        }
        result.append(gap + (column.is_number ? fill : 0), ' ');
        result += painted(text, coloured ? colour : std::string_view{});
        gap = 2 + (column.is_number ? 0 : fill);
    }
    return result + '\n';
}

}  // namespace

void fold_equal_rows(text_table& all, std::size_t heads) {
    if (all.size() < 2) return;
    std::map<std::string, std::size_t> known;
    std::vector<std::size_t> kept;
    std::vector<std::size_t> others;
    for (std::size_t row = 0; row < all.front().cells.size(); ++row) {
        std::string key = row < heads ? std::to_string(row) + '\n' : std::string{};
        for (std::size_t at = 1; at < all.size(); ++at) key += all[at].cells[row].text + '\n';
        const auto [place, is_new] = known.emplace(key, kept.size());
        if (!is_new) {
            ++others[place->second];
            continue;
        }
        kept.push_back(row);
        others.push_back(0);
    }
    for (table_column& column : all) {
        std::vector<table_cell> cells;
        for (const std::size_t row : kept) cells.push_back(std::move(column.cells[row]));
        column.cells = std::move(cells);
    }
    for (std::size_t row = 0; row < kept.size(); ++row)
        all.front().cells[row].text = group_name(all.front().cells[row].text, others[row]);
}

std::string fit_columns(text_table& all, std::size_t width) {
    std::string left_out;
    while (width_of(all) > width) {
        const auto least = std::max_element(
            all.begin(), all.end(), [](const table_column& a, const table_column& b) { return a.rank < b.rank; });
        if (least->rank == 0) break;
        append_item(left_out, least->title);
        all.erase(least);
    }
    return left_out;
}

std::vector<text_table> parts_of(const text_table& all, std::size_t width) {
    std::vector<text_table> result;
    for (std::size_t at = 1; at < all.size(); ++at) {
        if (!result.empty()) {
            result.back().push_back(all[at]);
            if (width_of(result.back()) <= width) continue;
            result.back().pop_back();
        }
        result.push_back({all.front(), all[at]});
    }
    return result;
}

std::string table_text(const text_table& all, bool coloured) {
    if (all.empty()) return {};
    std::size_t height = 0;
    for (const table_column& column : all) height = std::max(height, lines_of(column.title).size());
    std::string text;
    for (std::size_t at = 0; at < height; ++at)
        text += line_text(all, coloured, [&](const table_column& column) {
            const std::vector<std::string_view> lines = lines_of(column.title);
            const bool is_above = at + lines.size() < height;  // titles stand at the bottom
            return std::pair(is_above ? std::string_view{} : lines[at + lines.size() - height], bold);
        });
    for (std::size_t row = 0; row < all.front().cells.size(); ++row)
        text += line_text(all, coloured, [&](const table_column& column) {
            const table_cell& cell = column.cells[row];
            return std::pair(std::string_view(cell.text), colour_of(cell.how));
        });
    return text;
}

std::string markdown_literal(std::string_view text) {
    std::string result;
    for (const char entry : text) {
        if (std::string_view("\\`*_{}[]<>#|").find(entry) != std::string_view::npos) result += '\\';
        result += entry == '\n' || entry == '\r' ? ' ' : entry;
    }
    return result;
}

std::string table_markdown(const text_table& all) {
    if (all.empty()) return {};
    std::string text = "|";
    for (const table_column& column : all) text += ' ' + markdown_literal(column.title) + " |";
    text += "\n|";
    for (const table_column& column : all) text += column.is_number ? " --: |" : " --- |";
    text += '\n';
    for (std::size_t row = 0; row < all.front().cells.size(); ++row) {
        text += '|';
        for (const table_column& column : all) text += ' ' + markdown_literal(column.cells[row].text) + " |";
        text += '\n';
    }
    return text;
}

}  // namespace hbm::compare
