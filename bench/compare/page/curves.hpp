#pragma once
/// Pictures of curves that need no script.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compare/replay/history.hpp"

namespace hbm::compare {

/// Picture of bytes in use, the highest end and, in limited memory, the largest free block, over the rows. Each column
/// shows the largest value of its rows; of the largest free block, the smallest.
class replay_curves {
public:
    /// Starts the picture of a replay of this many rows.
    explicit replay_curves(std::size_t rows);

    /// Adds the next part of the replay. Cost: O(readings).
    void add(const trace::history& part);

    /// Returns the highest end of any row so far.
    [[nodiscard]] std::uint64_t highest() const noexcept;

    /// Returns the picture. `capacity` is that of limited memory.
    [[nodiscard]] std::string svg(std::optional<std::uint64_t> capacity) const;

private:
    template <class Value>
    [[nodiscard]] std::string path(std::uint64_t top, std::string_view name, Value value_of) const;

    std::size_t rows_;
    std::size_t added_ = 0;                         // rows so far
    std::vector<trace::recorded_reading> columns_;  // values of each column, with the smallest `largest_free`
};

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

/// Picture of places over rows. Each pixel is as opaque as the part of it that blocks cover; a pixel with a block is
/// never empty. Its colour is by the size of the blocks, from yellow for the smallest to blue for the largest.
class replay_picture {
public:
    /// Starts the picture of a replay of this many rows, with the address `top` at the upper edge.
    replay_picture(std::size_t rows, std::uint64_t top);

    /// Adds the next part of the replay. The first part has the largest size of the colours. Cost: O(places + pixels).
    void add(const trace::history& part);

    /// Returns the picture as a PNG file.
    [[nodiscard]] std::string png_file() const;

private:
    struct cover {
        std::uint64_t area = 0;
        std::uint64_t colours = 0;  // times area
    };

    std::size_t rows_;
    std::uint64_t top_;
    std::uint64_t largest_ = 0;
    std::vector<cover> covered_;  // by pixel
};

}  // namespace hbm::compare
