#pragma once
// What all grammars of traces share: lines of comma-separated cells under a header row with names of columns.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/replay/row_failure.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// A cursor over the rows of a table. Columns are found by name, in any order, in capitals or not. Blank lines and
/// lines that start with `#` are skipped, but counted as lines. A byte order mark and CRLF are accepted. If the header
/// row has blanks or quotation marks around a name, those around cells are not read; no cell has a comma. Missing
/// trailing cells are empty, extra cells are an error. The text must outlive the table. What is wrong is thrown as a
/// `read_error`.
class table {
public:
    /// Constructs a cursor at the header row of the text; `file` is for messages.
    table(std::string_view text, std::string file);

    /// Returns true if the header row has one of these columns.
    [[nodiscard]] bool has_any(std::span<const std::string_view> names) const;

    /// Checks the header row: `names` are all valid columns, of which the first `required` must be present. From then
    /// on a column is given by its position in `names`.
    void accept_columns(std::span<const std::string_view> names, std::size_t required);

    /// Steps to the next row; returns false at the end.
    bool next();

    /// Returns the cell of this row in a column; empty if the table lacks the column or the row the cell.
    [[nodiscard]] std::string_view cell(std::size_t column) const;

    /// Returns a cell as an unsigned decimal number; `meaning` is for the message.
    [[nodiscard]] std::uint64_t number(std::size_t column, const char* meaning) const;

    /// Returns such a number, or `otherwise` if the cell is empty.
    [[nodiscard]] std::uint64_t number(std::size_t column, const char* meaning, std::uint64_t otherwise) const;

    /// Throws that the cell in this column is wrong; `found` is by default its text.
    [[noreturn]] void wrong(std::size_t column, std::string expected, std::string found = {}) const;

    /// Throws that the current line is wrong.
    [[noreturn]] void wrong_line(std::string expected, std::string found = {}) const;

    /// Returns the byte of the line at which the cell in this column begins, from 1.
    [[nodiscard]] std::size_t column_of_cell(std::size_t column) const;

    /// Returns the number of the current line, from 1.
    [[nodiscard]] std::size_t line() const { return line_; }

    /// Returns the name of the file in messages.
    [[nodiscard]] const std::string& file() const { return file_; }

private:
    // Steps to the next line that is neither blank nor a comment, and splits it into cells. Returns false at the end.
    bool next_line();
    [[noreturn]] void fail(std::string_view where, std::string found, std::string expected) const;

    std::string_view text_;
    std::string file_;
    std::size_t begin_ = 0;  // start of the next line
    const char* line_start_;
    std::size_t line_ = 0;
    std::string_view line_text_;
    std::vector<std::string_view> cells_;
    std::vector<std::string_view> header_;
    bool has_bare_cells_ = false;  // true if cells are read without blanks and quotation marks around them
    std::vector<std::size_t> column_of_;
};

/// Reads the rows of a MiniMalloc instance, `id,lower,upper,size`. Each is a buffer that lives in [lower, upper); the
/// column `offset` of a solution is ignored. Lifetimes become alloc and free rows in the order of time; at equal times
/// frees come before allocations, each in file order. Empty lifetimes are left out. `t` is the time of the instance.
/// Cost: O(n log n).
workload read_minimalloc(table& rows);

/// Reads the rows of a log of RMM's logging resource adaptor, `Thread,Time,Action,Pointer,Size,Stream`. Cost: O(size).
///
/// - `allocate` and `free` (also written `deallocate`) become rows. The pointer, in any notation, is the id, and may be
///   reused after it was freed. `allocate failure` is counted in `workload::skipped`.
/// - A null pointer means an allocation of 0 bytes, which takes no memory: such rows are left out.
/// - `Time` is the time of day, `18:44:01.123456` or `18:44:01:123456`, or seconds, `1634567890.123456`.
/// - If every row has a time and times never decrease, `t` is the time since the first row, also across midnight.
///   Otherwise the trace has no times: several threads write the log, so only the order of its lines is reliable.
workload read_rmm(table& rows);

}  // namespace hbm::trace
