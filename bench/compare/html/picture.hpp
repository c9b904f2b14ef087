#pragma once

/// A small picture of a replay: time across, addresses up.

#include <hbm/trace/history.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace hbm::compare {

inline constexpr std::uint32_t picture_width = 480;
inline constexpr std::uint32_t picture_height = 96;

/// A PNG file of an image of a byte a pixel, 0 transparent and 255 opaque, in the given colour. O(bytes).
[[nodiscard]] std::string png(std::uint32_t width, std::uint32_t height, std::string_view alphas, std::uint32_t colour);

/// The replay as a PNG file. Each pixel is as opaque as the part of it that blocks cover; a pixel in which anything
/// lies is never empty. `rows` are those of the workload, `top` is the address at the upper edge. O(places + pixels).
[[nodiscard]] std::string picture_of(const trace::history& made, std::size_t rows, std::uint64_t top);

}  // namespace hbm::compare
