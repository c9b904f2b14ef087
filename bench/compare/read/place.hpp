#pragma once
// Errors that name a place of a text by its line and column.

#include <cstddef>
#include <string>
#include <string_view>

#include "compare/read/read_error.hpp"

namespace hbm::imported {

/// Returns the error that the text of `file` is wrong at its byte `at`, counted from 0. Cost: O(at).
[[nodiscard]] trace::read_error error_at(std::string_view text, std::size_t at, std::string_view file,
                                         std::string found, std::string expected);

/// Returns the error at byte `at`, with the text found there.
[[nodiscard]] trace::read_error error_at(std::string_view text, std::size_t at, std::string_view file,
                                         std::string expected);

}  // namespace hbm::imported
