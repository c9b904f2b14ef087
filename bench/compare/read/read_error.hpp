#pragma once
/// The error that readers throw, with its place in the file.

#include <cstddef>
#include <string>
#include <string_view>

#include "compare/text/usage_error.hpp"

namespace hbm::trace {

/// Error in a file: its position, the text found there and the text expected. `what()` is
/// `FILE:LINE:COLUMN: found ..., expected ...`, or `FILE: found ..., expected ...` for a whole file, or
/// `cannot open FILE: ...`, with the control characters of FILE escaped.
class read_error : public compare::usage_error {
public:
    read_error(std::string file, std::size_t line, std::size_t column, std::string found, std::string expected);

    /// Constructs an error about a whole file.
    read_error(std::string file, std::string found, std::string expected);

    std::string file;        ///< name of the file as the caller passed it
    std::size_t line = 0;    ///< line from 1, counting every line; 0 if the error is about the whole file
    std::size_t column = 0;  ///< byte in the line at which the wrong text begins, from 1
    std::string found;       ///< text found at this place; empty if the file cannot be opened
    std::string expected;    ///< text expected at this place, or the reason why the file cannot be opened
};

/// Returns the error that the text of `file` is wrong at its byte `at`, counted from 0. `found` is by default the text
/// there. Cost: O(at).
[[nodiscard]] read_error error_at(std::string_view text, std::size_t at, std::string_view file, std::string expected,
                                  std::string found = {});

}  // namespace hbm::trace
