#pragma once

/// Changes of a series without steady growth: a single rise at once, and an end above the beginning. Integers only.

#include <hbm/growth/growth_line.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace hbm {

/// Single rise at once, after which a series stays higher by as much.
struct growth_jump {
    std::uint64_t step = 0;  ///< first step after it, from 1
    std::uint64_t risen_bytes = 0;

    friend bool operator==(const growth_jump&, const growth_jump&) = default;
};

/// Series that ends higher than it began, by more than it ever falls.
struct growth_rise {
    std::uint64_t began_bytes = 0;
    std::uint64_t ended_bytes = 0;

    friend bool operator==(const growth_rise&, const growth_rise&) = default;
};

/// Returns the median of some numbers, the higher of two, and reorders them.
template <class Number>
[[nodiscard]] Number middle_of(std::span<Number> numbers) {
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(numbers.size() / 2);
    std::nth_element(numbers.begin(), middle, numbers.end());
    return *middle;
}

/// Returns the jump of a series: its largest rise from a size to the next. The medians of the eight sizes before and
/// the eight after must differ by more than four times the largest such difference elsewhere. Differences are less the
/// usual one, so that the slope of the series does not count. Empty if there is none, if there are several, for a
/// spike, and below 40 sizes, which noise can order like a jump.
/// Cost: O(sizes).
[[nodiscard]] std::optional<growth_jump> growth_jump_of(std::span<const std::uint64_t> sizes);

/// Returns the rise of a series that ends higher than it began, by 1.5 times its largest fall from any size to a later
/// one. Noise and a sawtooth, in contrast, fall as far as they rise. The beginning is the median of the first eighth,
/// at least eight sizes or half of them; the end is that of the last. Sizes above `most` count as `most`.
/// Cost: O(sizes).
[[nodiscard]] std::optional<growth_rise> growth_rise_of(std::span<const std::uint64_t> sizes,
                                                        std::uint64_t most = max_grown_bytes);

}  // namespace hbm
