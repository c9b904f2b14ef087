#include "compare/fitted.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

namespace hbm::compare {

namespace {

constexpr std::string_view shared_part = "...";

bool says_nothing(const table_column& column) {
    return column.rank != 0 && column.cells.size() > 1 &&
           std::all_of(column.cells.begin(), column.cells.end(),
                       [&](const table_cell& cell) { return cell.text == column.cells.front().text; });
}

/// The placement whose replacement by `...` saves most, if several names begin with it and go on.
std::string_view shared_placement(const std::vector<folded_row>& rows) {
    std::map<std::string_view, std::size_t> saved;
    std::map<std::string_view, std::size_t> names;
    for (const folded_row& row : rows) {
        const std::string_view name = row.who->name;
        const std::size_t slash = name.find('/');
        if (slash == std::string_view::npos || slash <= 2 * shared_part.size()) continue;
        saved[name.substr(0, slash)] += slash - shared_part.size();
        ++names[name.substr(0, slash)];
    }
    std::string_view best;
    for (const auto& [placement, characters] : saved)
        if (names[placement] > 1 && (best.empty() || characters > saved[best])) best = placement;
    return best;
}

std::string label(const folded_row& row, std::size_t others, std::string_view placement) {
    std::string name(row.who->name);
    if (!placement.empty() && name.starts_with(std::string(placement) + "/"))
        name.replace(0, placement.size(), shared_part);
    if (others != 0) name += " (and " + std::to_string(others) + " more)";
    return name;
}

/// `1.2` and `3.4` as `1.2-3.4`, and what is equal as one number.
std::string range_text(const std::string& a, const std::string& b) {
    if (a == b || b == "-") return a;
    if (a == "-") return b;
    const std::string low = a.substr(0, a.find('-'));
    const std::string high = a.substr(a.rfind('-') == std::string::npos ? 0 : a.rfind('-') + 1);
    const double value = std::strtod(b.c_str(), nullptr);
    const std::string& from = value < std::strtod(low.c_str(), nullptr) ? b : low;
    const std::string& to = value > std::strtod(high.c_str(), nullptr) ? b : high;
    return from == to ? from : from + "-" + to;
}

/// The table of these columns, in which rows with the same text are one.
std::vector<table_column> fold_equal(const chapter& of, const std::vector<const table_column*>& columns,
                                     std::string_view placement) {
    std::map<std::string, std::size_t> known;
    std::vector<std::size_t> first;
    std::vector<std::size_t> others;
    std::vector<table_column> made;
    for (const table_column* column : columns) {
        made.push_back(*column);
        made.back().cells.clear();
    }
    for (std::size_t row = 0; row < of.rows.size(); ++row) {
        std::string key;
        for (const table_column* column : columns)
            if (column != columns.front() && !column->is_timed) (key += column->cells[row].text) += '\n';
        const auto [place, is_new] = known.emplace(key, first.size());
        if (is_new) {
            first.push_back(row);
            others.push_back(of.rows[row].others);
            for (std::size_t at = 0; at < columns.size(); ++at) made[at].cells.push_back(columns[at]->cells[row]);
            continue;
        }
        others[place->second] += 1 + of.rows[row].others;
        for (std::size_t at = 0; at < columns.size(); ++at)
            if (columns[at]->is_timed) {
                std::string& text = made[at].cells[place->second].text;
                text = range_text(text, columns[at]->cells[row].text);
            }
    }
    for (std::size_t at = 0; at < first.size(); ++at)
        made.front().cells[at].text = label(of.rows[first[at]], others[at], placement);
    return made;
}

/// Whether rows became one row here, and the chapter does not say already that managers share rows.
bool has_folded_equals(const chapter& of, const std::vector<table_column>& columns) {
    return columns.front().cells.size() < of.rows.size() &&
           std::all_of(of.rows.begin(), of.rows.end(), [](const folded_row& row) { return row.others == 0; });
}

}  // namespace

std::size_t width_of(const table_column& column) {
    std::size_t width = column.title.size();
    for (const table_cell& cell : column.cells) width = std::max(width, cell.text.size());
    return width;
}

std::size_t width_of(const std::vector<table_column>& columns) {
    std::size_t width = 0;
    for (const table_column& column : columns) width += (width == 0 ? 0 : 2) + width_of(column);
    return width;
}

fitted_table fit_table(const chapter& of, std::size_t width, bool names_left_out) {
    if (of.rows.empty() || of.columns.empty()) return {.columns = of.columns, .notes = {}};
    std::vector<const table_column*> shown;
    for (const table_column& column : of.columns)
        if (!says_nothing(column)) shown.push_back(&column);
    std::string_view placement;
    std::string left_out;
    fitted_table made{.columns = fold_equal(of, shown, placement), .notes = {}};
    if (width_of(made.columns) > width) {
        placement = shared_placement(of.rows);
        made.columns = fold_equal(of, shown, placement);
    }
    while (width_of(made.columns) > width) {
        const auto least = std::max_element(shown.begin(), shown.end(),
                                            [](const auto* a, const auto* b) { return a->rank < b->rank; });
        if ((*least)->rank == 0) break;
        left_out += (left_out.empty() ? "" : ", ") + (*least)->title;
        shown.erase(least);
        made.columns = fold_equal(of, shown, placement);
    }
    if (names_left_out && has_folded_equals(of, made.columns))
        made.notes.push_back("Managers with the same figures share a row: --wide gives each its own.");
    if (!placement.empty()) made.notes.push_back(std::string(shared_part) + " is " + std::string(placement) + ".");
    if (!left_out.empty() && names_left_out) {
        std::string words = "Left out for the width: " + left_out + " (--wide shows all).";
        if (made.notes.empty())
            made.notes.push_back(std::move(words));
        else
            (made.notes.back() += ' ') += words;
    }
    return made;
}

}  // namespace hbm::compare
