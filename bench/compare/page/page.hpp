#pragma once

/// The comparison as a page of HTML.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/cells/partial_result.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// A page that needs no other file and no network. Replays all cells again, and explains failures with `effort` looks
/// at blocks each (see `explain_options`). `cut`: after an interrupt, with which its headline begins.
[[nodiscard]] std::string html_page(const std::vector<comparison>& all, const selection& who, std::uint64_t effort,
                                    const std::optional<partial_result>& cut = {});

}  // namespace hbm::compare
