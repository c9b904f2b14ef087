#include "compare/read/csv/table.hpp"

#include <algorithm>
#include <utility>

#include "compare/read/read_error.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Column of a table that lacks it.
constexpr std::size_t missing = ~std::size_t{0};

/// Returns a cell without the blanks and the pair of quotation marks around it, as spreadsheets and pandas write them.
std::string_view bare(std::string_view cell) {
    const std::size_t begin = std::min(cell.find_first_not_of(" \t"), cell.size());
    cell = cell.substr(begin, cell.find_last_not_of(" \t") + 1 - begin);
    const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
    return is_quoted ? cell.substr(1, cell.size() - 2) : cell;
}

std::string listed(std::span<const std::string_view> names) {
    std::string words;
    for (const std::string_view name : names) append_item(words, name, ",");
    return words;
}

}  // namespace

table::table(std::string_view text, std::string file) : text_(text), file_(std::move(file)), line_start_(text.data()) {
    if (text_.starts_with(byte_order_mark)) begin_ = byte_order_mark.size();
    if (!next_line()) return;
    header_ = cells_;
    for (std::string_view& name : header_) {
        has_bare_cells_ = has_bare_cells_ || bare(name) != name;
        name = bare(name);
    }
}

bool table::has_any(std::span<const std::string_view> names) const {
    return std::any_of(header_.begin(), header_.end(), [&](std::string_view cell) {
        return std::find(names.begin(), names.end(), lower_case(cell)) != names.end();
    });
}

void table::accept_columns(std::span<const std::string_view> names, std::size_t required) {
    column_of_.assign(names.size(), missing);
    for (std::size_t at = 0; at < header_.size(); ++at) {
        const std::string_view cell = header_[at];
        const auto name = std::find_if(names.begin(), names.end(),
                                       [&](std::string_view each) { return lower_case(each) == lower_case(cell); });
        if (name == names.end())
            fail(cell, cell.empty() ? "nothing" : "column " + quoted(cell), "the columns " + listed(names));
        std::size_t& place = column_of_[static_cast<std::size_t>(name - names.begin())];
        if (place != missing) fail(cell, "column " + quoted(cell) + " twice", "each column once");
        place = at;
    }
    for (std::size_t which = 0; which < required; ++which)
        if (column_of_[which] == missing)
            wrong_line("the columns " + listed(names.first(required)), "no column " + quoted(names[which]));
}

bool table::next() {
    if (!next_line()) return false;
    if (cells_.size() > header_.size())
        fail(cells_[header_.size()], "an extra cell " + quoted(cells_[header_.size()]),
             "at most " + decimal(header_.size()) + " cells, as in the header row");
    return true;
}

std::string_view table::cell(std::size_t column) const {
    const std::size_t at = column_of_[column];
    return at < cells_.size() ? cells_[at] : line_text_.substr(line_text_.size());
}

std::uint64_t table::number(std::size_t column, const char* meaning) const {
    std::uint64_t value = 0;
    if (!parse_number(cell(column), value))
        wrong(column, std::string{meaning} + " as an unsigned decimal number below 2^64");
    return value;
}

std::uint64_t table::number(std::size_t column, const char* meaning, std::uint64_t otherwise) const {
    return cell(column).empty() ? otherwise : number(column, meaning);
}

void table::wrong(std::size_t column, std::string expected, std::string found) const {
    if (found.empty()) found = cell(column).empty() ? "nothing" : quoted(cell(column));
    fail(cell(column), std::move(found), std::move(expected));
}

void table::wrong_line(std::string expected, std::string found) const {
    if (found.empty())
        found = !line_text_.empty() ? quoted(line_text_) : text_.empty() ? "an empty file" : "the end of the file";
    fail(line_text_, std::move(found), std::move(expected));
}

std::size_t table::column_of_cell(std::size_t column) const {
    return static_cast<std::size_t>(cell(column).data() - line_start_) + 1;
}

void table::fail(std::string_view where, std::string found, std::string expected) const {
    const std::size_t column = where.data() == nullptr ? 0 : static_cast<std::size_t>(where.data() - line_start_);
    throw read_error(file_, line_, column + 1, std::move(found), std::move(expected));
}

bool table::next_line() {
    while (begin_ < text_.size()) {
        const std::size_t end = std::min(text_.find('\n', begin_), text_.size());
        line_text_ = text_.substr(begin_, end - begin_);
        // The byte order mark counts as part of the first line, but not of its first cell.
        line_start_ = line_ == 0 ? text_.data() : line_text_.data();
        ++line_;
        begin_ = std::min(end + 1, text_.size());
        if (line_text_.ends_with('\r')) line_text_.remove_suffix(1);
        if (line_text_.find_first_not_of(" \t") == std::string_view::npos || line_text_.front() == '#') continue;
        cells_.clear();
        for (std::size_t from = 0; from <= line_text_.size();) {
            const std::size_t comma = std::min(line_text_.find(',', from), line_text_.size());
            const std::string_view found = line_text_.substr(from, comma - from);
            cells_.push_back(has_bare_cells_ ? bare(found) : found);
            from = comma + 1;
        }
        return true;
    }
    ++line_;
    line_text_ = text_.substr(text_.size());
    line_start_ = line_text_.data();
    return false;
}

}  // namespace hbm::trace
