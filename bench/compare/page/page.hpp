#pragma once
/// The comparison as a page of HTML.

#include <string>
#include <string_view>
#include <vector>

#include "compare/grid/result.hpp"

namespace hbm::compare {

/// Returns JSON for a script element: nothing in it can end the element. Cost: O(bytes).
[[nodiscard]] std::string json_in_html(std::string_view json);

/// Returns a page that needs no other file and no network: the result, the histories of some cells, and a script that
/// draws all of it. Cost: another replay of the cells that have maps.
[[nodiscard]] std::string html_page(const result& of);

/// Returns report.css, and the scripts of script/ in any order: they define functions. The build makes the definitions.
[[nodiscard]] std::string_view report_style();
[[nodiscard]] std::vector<std::string_view> report_scripts();

}  // namespace hbm::compare
