#pragma once
/// The comparison as a page of HTML.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Returns JSON for a script element: nothing in it can end the element. Cost: O(bytes).
[[nodiscard]] std::string json_in_html(std::string_view json);

/// Returns a page that needs no other file and no network: the result, the histories of some cells, and a script that
/// draws all of it. If `cut` is given, the
/// answer begins with the interruption. Cost: another replay of the cells that have maps.
[[nodiscard]] std::string html_page(const std::vector<comparison>& all, const selection& who,
                                    const std::optional<partial_result>& cut = {});

/// Returns report.css, and the scripts of script/ in any order: they define functions. The build makes the definitions.
[[nodiscard]] std::string_view report_style();
[[nodiscard]] std::vector<std::string_view> report_scripts();

}  // namespace hbm::compare
