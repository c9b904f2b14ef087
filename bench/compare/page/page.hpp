#pragma once
/// The comparison as a page of HTML.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/managers/selection.hpp"
#include "compare/page/matrix.hpp"

namespace hbm::compare {

/// A recorded cell.
struct recording {
    std::string packed;         ///< base64; empty: its rows are too many for the page, or its addresses too large
    std::string picture;        ///< a PNG file
    std::string curves;         ///< an SVG picture of its curves
    std::uint64_t highest = 0;  ///< the highest end of any block
};

/// The recorded cells of a workload, and the data that they share.
struct recorded_workload {
    std::string shared;  ///< base64
    std::vector<recording> cells;
};

/// Limit on the rows of a replay that the page has as a whole, in some 4 bytes a row. Of others it has pictures.
inline constexpr std::size_t max_packed_rows = 4'000'000;

/// Replays each cell of the workload. Cost: O(rows) for each cell, and more if programs run.
[[nodiscard]] recorded_workload record_workload(const comparison& of);

/// Returns script elements with the figures and the packed replays, which stay text until a reader opens a replay.
[[nodiscard]] std::string data_html(const std::vector<comparison>& all, const selection& who, const page_answer& answer,
                                    const std::vector<recorded_workload>& recorded);

/// Returns a page that needs no other file and no network. `effort` limits the search that explains a failure (see
/// `explain_options`). If `cut` is given, the headline begins with the interruption. Cost: another replay of each cell.
[[nodiscard]] std::string html_page(const std::vector<comparison>& all, const selection& who, std::uint64_t effort,
                                    const std::optional<partial_result>& cut = {});

}  // namespace hbm::compare
