#pragma once

/// The result in the format that was asked for.

#include <string>
#include <vector>

#include "compare/grid.hpp"
#include "compare/options.hpp"
#include "compare/selection.hpp"

namespace hbm::compare {

/// The text of --format, or of --recommend.
[[nodiscard]] std::string result_text(const options& asked, const std::vector<comparison>& all, const selection& who);

}  // namespace hbm::compare
