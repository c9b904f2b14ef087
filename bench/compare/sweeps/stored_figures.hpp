#pragma once

/// Figures that were written as a row of a result, read again.

#include <string>

#include "compare/replay/figures.hpp"
#include "compare/tables/records.hpp"

namespace hbm::compare {

/// Reads the figures of a row. Returns an error message, or an empty text. O(keys^2).
[[nodiscard]] std::string read_figures(const record& from, trace::figures& into);

/// The value of a key; null if there is no such key, or no value. O(keys).
[[nodiscard]] const std::string* value_of(const record& from, std::string_view key);

}  // namespace hbm::compare
