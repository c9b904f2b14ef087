#pragma once

/// The data that the page's scripts read.

#include <string>
#include <vector>

#include "compare/page/overview.hpp"
#include "compare/page/recordings.hpp"

namespace hbm::compare {

/// Returns script elements with the figures and the packed replays, which stay text until a reader opens a replay.
[[nodiscard]] std::string data_html(const std::vector<comparison>& all, const selection& who, const page_answer& answer,
                                    const std::vector<recorded_workload>& recorded);

}  // namespace hbm::compare
