#pragma once
/// The data that the page's scripts read.

#include <cstdint>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/page/overview.hpp"

namespace hbm::compare {

/// A recorded cell.
struct recording {
    std::string packed;         ///< base64; empty: its addresses are too large for the page
    std::string picture;        ///< a PNG file
    std::string curves;         ///< an SVG picture of its curves
    std::uint64_t highest = 0;  ///< the highest end of any block
};

/// The recorded cells of a workload, and the data that they share.
struct recorded_workload {
    std::string shared;  ///< base64
    std::vector<recording> cells;
};

/// Replays each cell of the workload. Cost: O(rows) for each cell, and more if programs run.
[[nodiscard]] recorded_workload record_workload(const comparison& of);

/// Returns script elements with the figures and the packed replays, which stay text until a reader opens a replay.
[[nodiscard]] std::string data_html(const std::vector<comparison>& all, const selection& who, const page_answer& answer,
                                    const std::vector<recorded_workload>& recorded);

}  // namespace hbm::compare
