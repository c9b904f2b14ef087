#pragma once

/// The style and the scripts of the page. The build makes their definitions from the files in script/.

#include <string_view>
#include <vector>

namespace hbm::compare {

/// Returns report.css.
[[nodiscard]] std::string_view report_style();

/// Returns the scripts in the order in which the page runs them.
[[nodiscard]] std::vector<std::string_view> report_scripts();

}  // namespace hbm::compare
