#include "compare/read/csv/table.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "compare/text/text.hpp"

namespace hbm::trace {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

/// Returns a cell without the blanks and the pair of quotation marks around it, as spreadsheets and pandas write them.
std::string_view bare(std::string_view cell) {
    const auto is_blank = [](char letter) { return letter == ' ' || letter == '\t'; };
    while (!cell.empty() && is_blank(cell.front())) cell.remove_prefix(1);
    while (!cell.empty() && is_blank(cell.back())) cell.remove_suffix(1);
    const bool is_quoted = cell.size() >= 2 && cell.front() == '"' && cell.back() == '"';
    return is_quoted ? cell.substr(1, cell.size() - 2) : cell;
}

/// Returns true if a cell of the header row is the name of a column; capitals do not count.
bool is_name(std::string_view cell, std::string_view name) {
    const auto small = [](char letter) {
        return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    };
    return std::equal(cell.begin(), cell.end(), name.begin(), name.end(),
                      [&](char a, char b) { return small(a) == small(b); });
}

}  // namespace

table::table(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
    if (text_.starts_with(byte_order_mark)) begin_ = byte_order_mark.size();
}

table::table(portions content, std::string file) : content_(std::move(content)), file_(std::move(file)) {
    while (portion_.size() < byte_order_mark.size() && refill()) {
    }
    if (text_.starts_with(byte_order_mark)) begin_ = byte_order_mark.size();
}

bool table::find_header() {
    if (!next_line()) return false;
    header_size_ = cut();
    has_bare_cells_ = std::any_of(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(header_size_),
                                  [](std::string_view cell) { return bare(cell) != cell; });
    if (has_bare_cells_) header_size_ = cut();
    return true;
}

bool table::has_column(std::string_view name) const {
    return std::any_of(cells_.begin(), cells_.begin() + static_cast<std::ptrdiff_t>(header_size_),
                       [&](std::string_view cell) { return is_name(cell, name); });
}

bool table::accept_columns(std::span<const std::string_view> names, std::size_t required) {
    column_of_.fill(max_columns);
    for (std::size_t at = 0; at < header_size_; ++at) {
        std::size_t which = 0;
        while (which < names.size() && !is_name(cells_[at], names[which])) ++which;
        if (which == names.size()) {
            return fail(cells_[at], words_for(cells_[at], "column "), "the columns " + listed(names));
        }
        if (column_of_[which] != max_columns) {
            return fail(cells_[at], "column " + quoted(cells_[at]) + " twice", "each column once");
        }
        column_of_[which] = at;
    }
    if (overflow_) return fail(*overflow_, "another column", "the columns " + listed(names));
    for (std::size_t which = 0; which < required; ++which) {
        if (column_of_[which] == max_columns) {
            return fail(line_text_, "no column " + quoted(names[which]),
                        "the columns " + listed(names.first(required)));
        }
    }
    return true;
}

table::step table::next() {
    if (!next_line()) return step::end;
    const std::size_t count = cut();
    for (std::size_t at = count; at < header_size_; ++at) cells_[at] = line_text_.substr(line_text_.size());
    if (count > header_size_) overflow_ = cells_[header_size_];
    if (overflow_) {
        fail(*overflow_, "an extra cell " + quoted(*overflow_),
             "at most " + decimal(header_size_) + " cells, as in the header row");
        return step::failed;
    }
    return step::row;
}

std::span<const std::string_view> table::peek(std::size_t column, std::span<std::string_view> cells) const {
    std::size_t begin = begin_;
    for (std::size_t at = 0; at < cells.size(); ++at) {
        const std::size_t end = text_.find('\n', begin);
        if (end == std::string_view::npos) return cells.first(at);
        std::string_view rest = text_.substr(begin, end - begin);
        for (std::size_t skipped = 0; skipped < column_of_[column]; ++skipped)
            rest.remove_prefix(rest.find(',') + 1);  // 0 without a comma
        cells[at] = rest.substr(0, rest.find(','));
        begin = end + 1;
    }
    return cells;
}

bool table::number(std::size_t column, std::string_view meaning, std::uint64_t& value) {
    if (parse_number(cell(column), value)) return true;
    return wrong(column, std::string{meaning} + " as an unsigned decimal number below 2^64");
}

bool table::wrong(std::size_t column, std::string expected) {
    return fail(cell(column), words_for(cell(column), ""), std::move(expected));
}

bool table::wrong(std::size_t column, std::string found, std::string expected) {
    return fail(cell(column), std::move(found), std::move(expected));
}

bool table::wrong_line(std::string found, std::string expected) {
    return fail(line_text_, std::move(found), std::move(expected));
}

std::size_t table::column_of_cell(std::size_t column) const {
    return static_cast<std::size_t>(cell(column).data() - line_start()) + 1;
}

std::string table::words_for(std::string_view found, std::string_view what) {
    return found.empty() ? "nothing" : std::string{what} + quoted(found);
}

std::string table::listed(std::span<const std::string_view> names) {
    std::string words;
    for (const std::string_view name : names) words += (words.empty() ? "" : ",") + std::string{name};
    return words;
}

bool table::fail(std::string_view where, std::string found, std::string expected) {
    const std::size_t column = where.data() == nullptr ? 0 : static_cast<std::size_t>(where.data() - line_start());
    error_ = {file_, line_, column + 1, std::move(found), std::move(expected)};
    return false;
}

bool table::refill() {
    if (!content_) return false;
    constexpr std::size_t most = std::size_t{256} << 10U;
    // The byte order mark counts as part of the first line, but not of its first cell.
    const std::size_t done = line_ == 0 ? 0 : begin_;
    portion_.erase(0, done);
    begin_ -= done;
    const std::size_t left = portion_.size();
    portion_.resize(left + most);
    const std::size_t got = content_(portion_.data() + left, most);
    portion_.resize(left + got);
    text_ = portion_;
    if (got == 0) content_ = nullptr;
    return got != 0;
}

std::size_t table::end_of_line() {
    std::size_t from = begin_;
    while (true) {
        if (const std::size_t end = text_.find('\n', from); end != std::string_view::npos) return end;
        const std::size_t length = text_.size() - begin_;
        if (!refill()) return std::string_view::npos;
        from = begin_ + length;
    }
}

bool table::next_line() {
    while (begin_ < text_.size() || refill()) {
        const std::size_t end = end_of_line();
        line_begin_ = line_ == 0 ? 0 : begin_;
        ++line_;
        line_text_ = text_.substr(begin_, end == std::string_view::npos ? end : end - begin_);
        begin_ = end == std::string_view::npos ? text_.size() : end + 1;
        if (!line_text_.empty() && line_text_.back() == '\r') line_text_.remove_suffix(1);
        if (!is_blank(line_text_) && line_text_.front() != '#') return true;
    }
    ++line_;
    line_begin_ = text_.size();
    line_text_ = text_.substr(text_.size());
    return false;
}

std::size_t table::cut() {
    overflow_.reset();
    std::size_t count = 0;
    std::size_t from = 0;
    for (;;) {
        const std::size_t comma = line_text_.find(',', from);
        const bool last = comma == std::string_view::npos;
        std::string_view found = line_text_.substr(from, last ? comma : comma - from);
        if (has_bare_cells_) found = bare(found);
        if (count == max_columns) {
            overflow_ = found;
            return count;
        }
        cells_[count++] = found;
        if (last) return count;
        from = comma + 1;
    }
}

}  // namespace hbm::trace
