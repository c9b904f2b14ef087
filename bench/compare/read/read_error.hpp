#pragma once
// Why a file could not be read, with the line and column.

#include <cstddef>
#include <string>

#include "compare/read/value_or_error.hpp"
#include "compare/replay/workload.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

/// Where a file is wrong, what was found there and what was expected.
struct read_error {
    std::string file;        ///< as the caller named it
    std::size_t line = 0;    ///< from 1, counting every line; 0 if the error is about the whole file
    std::size_t column = 0;  ///< byte in the line at which the wrong cell begins, from 1; 0 without a cell
    std::string found;       ///< what was found there
    std::string expected;    ///< what was expected

    /// `FILE:LINE:COLUMN: found ..., expected ...`, or `FILE: found ..., expected ...` about a whole file. What steers
    /// a terminal is escaped in FILE.
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
