#pragma once

/// A small picture of a replay: time across, addresses up.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "compare/replay/history.hpp"

namespace hbm::compare {

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
