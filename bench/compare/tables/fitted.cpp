#include "compare/tables/fitted.hpp"

#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <map>
#include <string_view>

#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

constexpr std::string_view shared_part = "...";

/// Returns true if a column has equal cells in the rows of all managers, which come before yardsticks.
bool says_nothing(const table_column& column, std::size_t managers) {
    const auto end = column.cells.begin() + static_cast<std::ptrdiff_t>(std::min(managers, column.cells.size()));
    return column.rank != 0 && managers > 1 && std::all_of(column.cells.begin(), end, [&](const table_cell& cell) {
               return cell.text == column.cells.front().text;
           });
}

/// Returns the placement whose replacement by `...` saves most, if several names begin with it and continue.
std::string_view shared_placement(const std::vector<folded_row>& rows) {
    std::map<std::string_view, std::size_t> saved;
    std::map<std::string_view, std::size_t> names;
    for (const folded_row& row : rows) {
        const std::string_view name = short_name(*row.who);
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
    std::string name(short_name(*row.who));
    if (!placement.empty() && name.starts_with(std::string(placement) + "/"))
        name.replace(0, placement.size(), shared_part);
    return group_name(name, others);
}

/// Returns the table of these columns, in which rows with the same text are one.
std::vector<table_column> fold_equal(const chapter& subject, const std::vector<const table_column*>& columns,
                                     std::string_view placement) {
    std::map<std::string, std::size_t> known;
    std::vector<std::size_t> first;
    std::vector<std::size_t> others;
    std::vector<table_column> result;
    for (const table_column* column : columns) {
        result.push_back(*column);
        result.back().cells.clear();
    }
    for (std::size_t row = 0; row < subject.rows.size(); ++row) {
        std::string key = subject.rows[row].is_yardstick ? "yardstick\n" : "";
        for (const table_column* column : columns)
            if (column != columns.front()) (key += column->cells[row].text) += '\n';
        const auto [place, is_new] = known.emplace(key, first.size());
        if (is_new) {
            first.push_back(row);
            others.push_back(subject.rows[row].others);
            for (std::size_t at = 0; at < columns.size(); ++at) result[at].cells.push_back(columns[at]->cells[row]);
            continue;
        }
        others[place->second] += 1 + subject.rows[row].others;
        if (subject.rows[row].who == subject.baseline) first[place->second] = row;
    }
    for (std::size_t at = 0; at < first.size(); ++at)
        result.front().cells[at].text = label(subject.rows[first[at]], others[at], placement);
    return result;
}

/// Returns true if rows became one row here, and the chapter has no shared rows otherwise.
bool has_folded_equals(const chapter& subject, const std::vector<table_column>& columns) {
    return columns.front().cells.size() < subject.rows.size() &&
           std::all_of(subject.rows.begin(), subject.rows.end(), [](const folded_row& row) { return row.others == 0; });
}

/// Breaks a name into lines of at most `width` characters if possible: after `/` and `<` and before ` (`. Lines after
/// the first begin with two blanks.
std::string broken(std::string_view name, std::size_t width) {
    std::string result;
    std::size_t column = 0;
    for (std::size_t from = 0; from < name.size();) {
        const std::size_t slash = name.find_first_of("/<", from);
        const std::size_t blank = name.find(" (", from + 1);
        const std::size_t end = std::min({slash == std::string_view::npos ? slash : slash + 1, blank, name.size()});
        std::string_view part = name.substr(from, end - from);
        if (column != 0 && column + part.size() > width) {
            if (part.front() == ' ') part.remove_prefix(1);
            result += "\n  ";
            column = 2;
        }
        result += part;
        column += part.size();
        from = end;
    }
    return result;
}

void break_names(std::vector<table_column>& columns, std::size_t width) {
    for (table_cell& cell : columns.front().cells) cell.text = broken(cell.text, width);
}

/// Returns the name of a column in a list of columns; the ratio of several measures is named with its measure.
std::string name_of(const chapter& subject, const table_column& column) {
    const auto has_title = [&](const table_column& entry) { return entry.title == column.title; };
    if (std::count_if(subject.columns.begin(), subject.columns.end(), has_title) < 2) return column.title;
    const std::size_t at = static_cast<std::size_t>(&column - subject.columns.data());
    return subject.columns[at - 1].title + " " + column.title;
}

/// Columns that fit a width, and those left out.
struct fitted_columns {
    std::vector<const table_column*> shown;
    std::vector<table_column> made;
    std::string left_out;
};

/// Removes the columns of the highest rank until the table fits. `name_width`: names are broken at that width.
fitted_columns fit_columns(const chapter& subject, std::vector<const table_column*> shown, std::string_view placement,
                           std::size_t width, std::size_t name_width) {
    const auto fold = [&] {
        std::vector<table_column> result = fold_equal(subject, shown, placement);
        break_names(result, name_width);
        return result;
    };
    fitted_columns fitted{.shown = {}, .made = fold(), .left_out = {}};
    while (width_of(fitted.made) > width) {
        const auto least = std::max_element(shown.begin(), shown.end(),
                                            [](const auto* a, const auto* b) { return a->rank < b->rank; });
        if ((*least)->rank == 0) break;
        append_item(fitted.left_out, name_of(subject, **least));
        shown.erase(least);
        fitted.made = fold();
    }
    fitted.shown = std::move(shown);
    return fitted;
}

/// Columns that a name is broken for: costs and times. Others are left out instead.
constexpr unsigned highest_rank_to_break_for = 5;
/// No name is broken into shorter lines.
constexpr std::size_t shortest_name = 28;

std::size_t worth_keeping(const fitted_columns& subject) {
    return static_cast<std::size_t>(
        std::count_if(subject.shown.begin(), subject.shown.end(),
                      [](const table_column* entry) { return entry->rank <= highest_rank_to_break_for; }));
}

/// Returns the table with names in one line, or in several if that leaves room for more important columns.
fitted_columns fit_broken(const chapter& subject, const std::vector<const table_column*>& shown,
                          std::string_view placement, std::size_t width, bool may_break) {
    fitted_columns whole = fit_columns(subject, shown, placement, width, std::string_view::npos);
    if (!may_break || whole.left_out.empty()) return whole;
    fitted_columns lines = fit_columns(subject, shown, placement, width, shortest_name);
    if (worth_keeping(lines) <= worth_keeping(whole)) return whole;
    // Names are broken no more than necessary for the width.
    const std::size_t room = width - std::min(width, width_of(lines.made) - width_of(lines.made.front()));
    lines.made = fold_equal(subject, lines.shown, placement);
    break_names(lines.made, std::max(room, shortest_name));
    return lines;
}

bool shows(const table_column& names, std::string_view beginning) {
    return std::any_of(names.cells.begin(), names.cells.end(),
                       [&](const table_cell& cell) { return cell.text.starts_with(beginning); });
}

}  // namespace

namespace {

/// Returns the length of the longest line.
std::size_t widest_line(std::string_view text) {
    std::size_t width = 0;
    for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        width = std::max(width, end - from);
        from = end + 1;
    }
    return width;
}

}  // namespace

std::size_t width_of(const table_column& column) {
    std::size_t width = widest_line(column.title);
    for (const table_cell& cell : column.cells) width = std::max(width, widest_line(cell.text));
    return width;
}

std::size_t width_of(const std::vector<table_column>& columns) {
    std::size_t width = 0;
    for (const table_column& column : columns) width += (width == 0 ? 0 : 2) + width_of(column);
    return width;
}

fitted_table fit_table(const chapter& subject, std::size_t width, bool names_left_out) {
    if (subject.rows.empty() || subject.columns.empty()) return {.columns = subject.columns, .notes = {}};
    std::vector<const table_column*> shown;
    const auto managers = static_cast<std::size_t>(std::count_if(
        subject.rows.begin(), subject.rows.end(), [](const folded_row& row) { return !row.is_yardstick; }));
    for (const table_column& column : subject.columns)
        if (!says_nothing(column, managers)) shown.push_back(&column);
    const bool is_too_wide = width_of(fold_equal(subject, shown, {})) > width;
    const std::string_view placement = is_too_wide ? shared_placement(subject.rows) : std::string_view{};
    fitted_columns fitted = fit_broken(subject, shown, placement, width, names_left_out);
    fitted_table result{.columns = std::move(fitted.made), .notes = {}};
    if (names_left_out && has_folded_equals(subject, result.columns)) result.notes.emplace_back(texts::equal_figures);
    if (!placement.empty() && shows(result.columns.front(), shared_part))
        result.notes.push_back(
            filled(texts::shortened, {{"mark", std::string(shared_part)}, {"placement", std::string(placement)}}));
    if (!fitted.left_out.empty() && names_left_out) {
        const std::string note = filled(texts::left_out, {{"columns", fitted.left_out}});
        result.notes.empty() ? result.notes.push_back(note) : void((result.notes.back() += ' ') += note);
    }
    return result;
}

}  // namespace hbm::compare
