#pragma once

/// The comparison as a page of HTML.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/grid.hpp"
#include "compare/selection.hpp"

namespace hbm::compare {

/// A page that needs no other file and no network. Replays all cells again, and explains failures with `effort` looks
/// at blocks each (see `explain_options`).
[[nodiscard]] std::string html_page(const std::vector<comparison>& all, const selection& who, std::uint64_t effort);

}  // namespace hbm::compare
