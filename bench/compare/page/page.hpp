#pragma once
/// The comparison as a page of HTML.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Returns a page that needs no other file and no network. `effort` limits the search that explains a failure (see
/// `explain_options`). If `cut` is given, the headline begins with the interruption. Cost: another replay of each cell.
[[nodiscard]] std::string html_page(const std::vector<comparison>& all, const selection& who, std::uint64_t effort,
                                    const std::optional<partial_result>& cut = {});

}  // namespace hbm::compare
