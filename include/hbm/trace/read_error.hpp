#pragma once
// Why a file could not be read, in a form that leads to the place.

#include <hbm/trace/outcome.hpp>
#include <hbm/trace/text.hpp>

#include <cstddef>
#include <string>

namespace hbm::trace {

/// Where a file is wrong, what stands there and what should.
struct read_error {
    std::string file;        ///< as the caller named it
    std::size_t line = 0;    ///< from 1, every line counts; 0 when the whole file is meant
    std::size_t column = 0;  ///< byte in the line at which the offending cell begins, from 1; 0 when the file is meant
    std::string found;       ///< what stands there
    std::string expected;    ///< what should

    /// `FILE:LINE:COLUMN: found ..., expected ...`, or `FILE: found ..., expected ...` about a whole file.
    std::string message() const {
        std::string words = file;
        if (line != 0) {
            words += ':' + decimal(line);
            words += ':' + decimal(column);
        }
        return words + ": found " + found + ", expected " + expected;
    }
};

/// What reading gives: a workload or a `read_error`.
using read_result = workload_or<read_error>;

}  // namespace hbm::trace
