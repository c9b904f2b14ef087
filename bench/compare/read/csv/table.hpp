#pragma once
// The grammars of traces, and their common part: lines of comma-separated cells under a header row with names of
// columns.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "compare/read/read_error.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// A cursor over the rows of a table in memory, or of one that is read in portions. Columns are found by name, in any
/// order, in capitals or not. Blank lines and lines that start with `#` are skipped, but counted as lines. A byte order
/// mark and CRLF are accepted. If the header row has blanks or quotation marks around a name, those around cells are
/// not read; no cell has a comma. Missing trailing cells are empty, extra cells are an error. The text must outlive the
/// table. Cells are valid until the next row.
class table {
public:
    /// Limit on the number of columns, larger than any grammar's.
    static constexpr std::size_t max_columns = 16;

    /// Constructs a cursor before the header row of the text; `file` is for messages.
    table(std::string_view text, std::string file);

    /// Constructs such a cursor for a text in portions. It keeps one of them.
    table(portions content, std::string file);
    table(const table&) = delete;
    table& operator=(const table&) = delete;

    /// Returns true if the text has no bytes.
    bool is_empty() const { return text_.empty() && line_ <= 1 && begin_ == 0; }

    /// Reads the header row without checking it; returns false if there is none.
    bool find_header();

    /// Returns true if the header row has a column of that name.
    bool has_column(std::string_view name) const;

    /// Checks the header row and calls `read_row` at each row. Requires: `names` are all valid columns, of which
    /// the first `required` must be present; a row's column is given by its position in them. Returns false, with the
    /// error set, if a call fails.
    template <class ReadRow>
    bool read_all(std::span<const std::string_view> names, std::size_t required, ReadRow read_row) {
        if (!accept_columns(names, required)) return false;
        step latest = next();
        for (; latest == step::row; latest = next())
            if (!read_row()) return false;
        return latest == step::end;
    }

    /// Returns the cell of this row in a column; empty if the table lacks the column or the row the cell.
    std::string_view cell(std::size_t column) const {
        const std::size_t at = column_of_[column];
        return at == max_columns ? line_text_.substr(line_text_.size()) : cells_[at];
    }

    /// Guesses the cells of a column in the next lines, as far as those are in memory: comments count as lines, and
    /// blanks and quotation marks as part of a cell. Returns the first of `cells`. Requires: the table has the column.
    std::span<const std::string_view> peek(std::size_t column, std::span<std::string_view> cells) const;

    /// Reads a cell as an unsigned decimal number. Returns false, and sets the error, if it is not a number. `meaning`
    /// is for the message.
    bool number(std::size_t column, std::string_view meaning, std::uint64_t& value);

    /// Sets the error that the cell in this column is wrong; returns false.
    bool wrong(std::size_t column, std::string expected);

    /// Like `wrong()`, but with a given `found` text.
    bool wrong(std::size_t column, std::string content, std::string expected);

    /// Sets the error that the file as a whole, or its current line, is wrong; returns false.
    bool wrong_line(std::string content, std::string expected);

    /// Returns the byte of the line at which the cell in this column begins, from 1.
    std::size_t column_of_cell(std::size_t column) const;

    /// Returns the current line without its end.
    std::string_view line_text() const { return line_text_; }

    /// Returns the number of the current line, from 1.
    std::size_t line() const { return line_; }

    /// Returns the name of the file in messages.
    const std::string& file() const { return file_; }

    /// Returns the latest error.
    const read_error& error() const { return error_; }

private:
    /// Result of a step.
    enum class step { row, end, failed };

    /// Checks the header row: `names` are all valid columns, of which the first `required` must be present. From then
    /// on a column is given by its position in `names`. Returns false, and sets the error, if the header is wrong.
    bool accept_columns(std::span<const std::string_view> names, std::size_t required);
    /// Steps to the next row.
    step next();
    static std::string words_for(std::string_view content, std::string_view what);
    static std::string listed(std::span<const std::string_view> names);
    static bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

    bool fail(std::string_view where, std::string content, std::string expected);
    const char* line_start() const { return text_.data() + line_begin_; }

    // Steps to the next line that is neither blank nor a comment; at the end, to the line after the last.
    bool next_line();

    // Reads the next portion behind what is left of the text. Returns false at the end.
    bool refill();

    // Returns the end of the line that begins at `begin_`, which is `npos` for the last.
    std::size_t end_of_line();

    // Splits the line into cells; cells beyond `max_columns` are noted as overflow.
    std::size_t cut();

    portions content_;     // empty if there is nothing more
    std::string portion_;  // the part of the text that was read last
    std::string_view text_;
    std::string file_;
    std::size_t begin_ = 0;       // start of the next line
    std::size_t line_begin_ = 0;  // start of this line
    std::size_t line_ = 0;
    std::string_view line_text_;
    std::array<std::string_view, max_columns> cells_{};
    std::optional<std::string_view> overflow_;
    std::size_t header_size_ = 0;
    bool has_bare_cells_ = false;  // true if cells are read without blanks and quotation marks around them
    std::array<std::size_t, max_columns> column_of_{};
    read_error error_;
};

/// Names of the operations, in the order of `op`.
inline constexpr std::array<std::string_view, 11> op_names{"alloc", "free", "load",   "run",  "unload", "pin",
                                                           "unpin", "sync", "import", "work", "wait"};

/// Reads the rows of a table in this project's grammar, after its header row. Cost: O(size of the text).
///
/// The header row names the columns, in any order; op, id and bytes are required.
///
/// | op         | id                     | bytes                          | other                                      |
/// |------------|------------------------|--------------------------------|--------------------------------------------|
/// | alloc      | new buffer             | size; 0 occupies one quantum   | kind (empty: device)                       |
/// | free       | live buffer            | empty, or what was allocated   |                                            |
/// | load       | program that is new,   | code and constants             | scratch (empty: none), reload_us (empty:   |
/// |            | evicted or unloaded    |                                | from its size)                             |
/// | run        | program                | empty                          | inputs, donated: live buffers, separated   |
/// |            |                        |                                | by spaces; outputs: `id:bytes`, likewise;  |
/// |            |                        |                                | us (empty: until the next row), stream     |
/// |            |                        |                                | (empty: 0)                                 |
/// | unload     | program                | empty                          |                                            |
/// | pin, unpin | live buffer            | empty                          |                                            |
/// | sync       | empty                  | empty                          |                                            |
/// | import     | new buffer             | size, at least a byte          | offset: the first byte of the range        |
/// | work       | name of a work         | empty                          | us, stream, inputs: buffers that it uses   |
/// | wait       | program or work        | empty                          | stream: it goes on after the latest run of |
/// |            |                        |                                | that program or work                       |
///
/// Every row may have a tag, and a `t` in microseconds; an empty `t` is the time of the row before. A cell that its
/// operation does not use has to be empty. A buffer that is imported is placed exactly at its offset, or its row fails.
/// It is pinned once, so that it stays there until a row unpins or frees it.
read_result read_trace_rows(table& rows);

/// Reads the rows of a MiniMalloc instance, `id,lower,upper,size`, after its header row. Each is a buffer that lives in
/// [lower, upper); the column `offset` of a solution is ignored. Lifetimes become alloc and free rows in the order of
/// time; at equal times frees come before allocations, each in file order. Empty lifetimes are left out. `t` is the
/// time of the instance. Cost: O(n log n).
read_result read_minimalloc_rows(table& rows);

/// Reads the rows of a log of RMM's logging resource adaptor, `Thread,Time,Action,Pointer,Size,Stream`, after its
/// header row. Cost: O(size of the text).
read_result read_rmm_rows(table& rows);

}  // namespace hbm::trace
