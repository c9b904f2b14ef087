#pragma once

/// The result in the requested format.

#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/command_line/options.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// Returns the text of --format, or of --recommend. After an interrupt, it begins with `cut`, except in CSV.
[[nodiscard]] std::string result_text(const options& asked, const std::vector<comparison>& all, const selection& who,
                                      const std::optional<partial_result>& cut = {});

}  // namespace hbm::compare
