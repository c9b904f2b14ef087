#pragma once
/// Pictures of curves that need no script.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/replay/history.hpp"

namespace hbm::compare {

/// Returns a picture of bytes in use, the highest end and, in limited memory, the largest free block, over the rows.
/// Each column shows the largest value of its rows; of the largest free block, the smallest. Cost: O(readings).
[[nodiscard]] std::string curves_svg(const trace::history& made, std::size_t rows, bool is_limited);

/// Manager, or several with the same values, in a picture of cost against memory.
struct scatter_point {
    std::string name;                 ///< name of the first manager
    std::vector<std::string> others;  ///< names of the others
    std::string place;                ///< cell in the page's address
    std::uint64_t bytes = 0;          ///< memory, on the horizontal axis
    std::uint64_t price_us = 0;       ///< time, on the vertical axis
    bool fails = false;
};

/// Returns false if another point that completes is better in one respect and no worse in the other.
[[nodiscard]] bool is_on_front(const scatter_point& point, const std::vector<scatter_point>& all);

/// Returns the points as a picture with a numbered list, and a line through the front. Points that would hide one
/// another share a label, and no label hides a point or another label. `ranks_memory` is false if the memory was given,
/// so that all have the same. Then the picture has a single axis, of time; if that is the same too, a sentence replaces
/// it. Cost: O(points^2).
[[nodiscard]] std::string scatter_html(const std::vector<scatter_point>& all, const std::string& label,
                                       bool ranks_memory = true);

inline constexpr std::uint32_t picture_width = 480;
inline constexpr std::uint32_t picture_height = 96;

/// Colour of a picture: 0xAARRGGBB; AA is 0 for transparent and 255 for opaque.
using picture_colour = std::uint32_t;

/// Returns an image as a PNG file. A byte of `pixels` is the number of a colour in the palette. Cost: O(bytes).
[[nodiscard]] std::string png(std::uint32_t width, std::uint32_t height, std::string_view pixels,
                              std::span<const picture_colour> palette);

/// Returns the replay as a PNG file. Each pixel is as opaque as the part of it that blocks cover; a pixel with a block
/// is never empty. Its colour is by the size of the blocks, from yellow for the smallest to blue for the largest.
/// `rows` are those of the workload, `top` is the address at the upper edge. Cost: O(places + pixels).
[[nodiscard]] std::string picture_of(const trace::history& made, std::size_t rows, std::uint64_t top);

}  // namespace hbm::compare
