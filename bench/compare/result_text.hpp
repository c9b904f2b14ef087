#pragma once

/// The result in the format that was asked for.

#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/command_line/options.hpp"
#include "compare/managers/selection.hpp"

namespace hbm::compare {

/// The text of --format, or of --recommend. `cut`: after an interrupt, which it says first; CSV has no place for that.
[[nodiscard]] std::string result_text(const options& asked, const std::vector<comparison>& all, const selection& who,
                                      const std::optional<partial_result>& cut = {});

}  // namespace hbm::compare
