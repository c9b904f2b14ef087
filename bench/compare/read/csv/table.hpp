#pragma once
// What all trace grammars share: lines of comma-separated cells under a header row that names the columns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "compare/read/read_error.hpp"
#include "compare/replay/workload.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

/// A cursor over the rows of a table in memory. Columns are found by name, in any order. Blank lines and lines that
/// start with `#` are skipped, but counted as lines. A byte order mark and CRLF are accepted; there is no quoting.
/// Missing trailing cells are empty, extra cells are an error. The text must outlive the table.
class table {
public:
    /// More columns than any grammar has.
    static constexpr std::size_t max_columns = 16;

    /// The result of a step.
    enum class step { row, end, failed };

    /// A cursor before the header row of the text; `file` is for messages.
    table(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {
        constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
        if (text_.substr(0, byte_order_mark.size()) == byte_order_mark) begin_ = byte_order_mark.size();
    }

    /// Reads the header row without checking it; false if there is none.
    bool find_header() {
        if (!next_line()) return false;
        header_size_ = cut();
        return true;
    }

    /// Whether the header row has a column of that name.
    bool has_column(std::string_view name) const {
        for (std::size_t at = 0; at < header_size_; ++at) {
            if (cells_[at] == name) return true;
        }
        return false;
    }

    /// Checks the header row: `names` are all valid columns, of which the first `required` must be present. From then
    /// on a column is given by its position in `names`. False, and sets the error, if the header is wrong.
    bool accept_columns(std::span<const std::string_view> names, std::size_t required) {
        column_of_.fill(max_columns);
        for (std::size_t at = 0; at < header_size_; ++at) {
            std::size_t which = 0;
            while (which < names.size() && names[which] != cells_[at]) ++which;
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

    /// Steps to the next row.
    step next() {
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

    /// The cell of this row in a column; empty when the table lacks the column or the row the cell.
    std::string_view cell(std::size_t column) const {
        const std::size_t at = column_of_[column];
        return at == max_columns ? line_text_.substr(line_text_.size()) : cells_[at];
    }

    /// Reads a cell as an unsigned decimal number; false, and sets the error, if it is none. `meaning` is for the
    /// message.
    bool number(std::size_t column, std::string_view meaning, std::uint64_t& value) {
        if (parse_number(cell(column), value)) return true;
        return wrong(column, std::string{meaning} + " as an unsigned decimal number below 2^64");
    }

    /// Sets the error that the cell in this column is wrong; returns false.
    bool wrong(std::size_t column, std::string expected) {
        return fail(cell(column), words_for(cell(column), ""), std::move(expected));
    }

    /// The same with a given text of what was found.
    bool wrong(std::size_t column, std::string found, std::string expected) {
        return fail(cell(column), std::move(found), std::move(expected));
    }

    /// Sets the error that the file as a whole, or its current line, is wrong; returns false.
    bool wrong_line(std::string found, std::string expected) {
        return fail(line_text_, std::move(found), std::move(expected));
    }

    /// The byte of the line at which the cell in this column begins, from 1.
    std::size_t column_of_cell(std::size_t column) const {
        return static_cast<std::size_t>(cell(column).data() - line_start()) + 1;
    }

    /// The first cell of the current line.
    std::string_view first_cell() const { return cells_[0]; }

    /// Number of the current line, from 1.
    std::size_t line() const { return line_; }

    /// The name that messages give the file.
    const std::string& file() const { return file_; }

    /// The latest error.
    const read_error& error() const { return error_; }

private:
    static std::string words_for(std::string_view found, std::string_view what) {
        return found.empty() ? "nothing" : std::string{what} + quoted(found);
    }

    static std::string listed(std::span<const std::string_view> names) {
        std::string words;
        for (const std::string_view name : names) words += (words.empty() ? "" : ",") + std::string{name};
        return words;
    }

    static bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

    bool fail(std::string_view where, std::string found, std::string expected) {
        const std::size_t column = where.data() == nullptr ? 0 : static_cast<std::size_t>(where.data() - line_start());
        error_ = {file_, line_, column + 1, std::move(found), std::move(expected)};
        return false;
    }

    const char* line_start() const { return text_.data() + line_begin_; }

    // Steps to the next line that is neither blank nor a comment; at the end, to the line after the last.
    bool next_line() {
        while (begin_ < text_.size()) {
            // The byte order mark counts as part of the first line, but not of its first cell.
            line_begin_ = line_ == 0 ? 0 : begin_;
            ++line_;
            const std::size_t end = text_.find('\n', begin_);
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

    // Splits the line into cells; cells beyond `max_columns` are noted as overflow.
    std::size_t cut() {
        overflow_.reset();
        std::size_t count = 0;
        std::size_t from = 0;
        for (;;) {
            const std::size_t comma = line_text_.find(',', from);
            const bool last = comma == std::string_view::npos;
            const std::string_view found = line_text_.substr(from, last ? comma : comma - from);
            if (count == max_columns) {
                overflow_ = found;
                return count;
            }
            cells_[count++] = found;
            if (last) return count;
            from = comma + 1;
        }
    }

    std::string_view text_;
    std::string file_;
    std::size_t begin_ = 0;       // of the next line
    std::size_t line_begin_ = 0;  // of this line
    std::size_t line_ = 0;
    std::string_view line_text_;
    std::array<std::string_view, max_columns> cells_{};
    std::optional<std::string_view> overflow_;
    std::size_t header_size_ = 0;
    std::array<std::size_t, max_columns> column_of_{};
    read_error error_;
};

}  // namespace hbm::trace
