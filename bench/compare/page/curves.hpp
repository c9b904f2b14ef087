#pragma once

/// Pictures of curves, which need no script.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/replay/history.hpp"

namespace hbm::compare {

/// Bytes in use, the highest end and, in limited memory, the largest free block, over the rows. Each column shows the
/// largest value of its rows, of the largest free block the smallest. O(readings).
[[nodiscard]] std::string curves_svg(const trace::history& made, std::size_t rows, bool is_limited);

/// A manager, or several with the same values, in a picture of cost against memory.
struct scatter_point {
    std::string name;                 ///< of the first manager
    std::vector<std::string> others;  ///< of the others
    std::string place;                ///< the cell in the page's address
    std::uint64_t bytes = 0;          ///< to the right
    std::uint64_t price_us = 0;       ///< up
    bool fails = false;
};

/// Whether no other point that completes is better in one respect and no worse in the other.
[[nodiscard]] bool is_on_front(const scatter_point& point, const std::vector<scatter_point>& all);

/// The points as a picture with a numbered list, the front of the best drawn through. Points that would hide one
/// another share a label, and no label hides a point or another label. `ranks_memory`: false where memory was given,
/// and so is the same for all; then only time counts, on a single axis, and where that is the same too a sentence says
/// so. O(points^2).
[[nodiscard]] std::string scatter_html(const std::vector<scatter_point>& all, const std::string& label,
                                       bool ranks_memory = true);

}  // namespace hbm::compare
