#pragma once

/// What the page's scripts read.

#include <string>
#include <vector>

#include "compare/page/overview.hpp"
#include "compare/page/recordings.hpp"

namespace hbm::compare {

/// Script elements with the figures and the packed replays. They are text until a reader wants to see a replay.
[[nodiscard]] std::string data_html(const std::vector<comparison>& all, const selection& who, const page_answer& answer,
                                    const std::vector<recorded_workload>& recorded);

}  // namespace hbm::compare
