#pragma once

/// The style and the scripts of the page. The build makes their definition out of the files of those names.

#include <string_view>
#include <vector>

namespace hbm::compare {

/// report.css
[[nodiscard]] std::string_view report_style();

/// The scripts, in the order in which the page runs them.
[[nodiscard]] std::vector<std::string_view> report_scripts();

}  // namespace hbm::compare
