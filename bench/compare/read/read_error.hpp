#pragma once
// Errors of reading a file, with the line and column.

#include <cstddef>
#include <string>

#include "compare/read/value_or_error.hpp"
#include "compare/replay/workload.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

/// Error in a file: its position, the text found there and the text expected.
struct read_error {
    std::string file;        ///< name of the file as the caller passed it
    std::size_t line = 0;    ///< line from 1, counting every line; 0 if the error is about the whole file
    std::size_t column = 0;  ///< byte in the line at which the wrong cell begins, from 1; 0 without a cell
    std::string found;       ///< text found at this place
    std::string expected;    ///< text expected at this place

    /// Returns `FILE:LINE:COLUMN: found ..., expected ...`, or `FILE: found ..., expected ...` for a whole file.
    /// Escapes control characters of FILE.
    std::string message() const {
        std::string words = printable(file);
        if (line != 0) {
            words += ':' + decimal(line);
            words += ':' + decimal(column);
        }
        return words + ": found " + found + ", expected " + expected;
    }
};

/// The result of reading: a workload or a `read_error`.
using read_result = value_or_error<workload, read_error>;

}  // namespace hbm::trace
