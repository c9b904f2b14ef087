#pragma once

/// What changes in a whole series of sizes in which no steady growth is found: a single rise at once, and whether the
/// series ends above where it began. Integers only.

#include <hbm/growth/growth_line.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hbm {

/// A single rise at once, after which a series stays as much higher.
struct growth_jump {
    std::uint64_t step = 0;  ///< the first step after it, from 1
    std::uint64_t risen_bytes = 0;

    friend constexpr bool operator==(const growth_jump&, const growth_jump&) = default;
};

/// A series that ends higher than it began, by more than it ever falls.
struct growth_rise {
    std::uint64_t began_bytes = 0;
    std::uint64_t ended_bytes = 0;

    friend constexpr bool operator==(const growth_rise&, const growth_rise&) = default;
};

namespace growth_detail {

/// The median of some numbers, the higher of two; they are put in another order.
template <class Number>
[[nodiscard]] constexpr Number middle_of(std::span<Number> some) {
    const auto middle = some.begin() + static_cast<std::ptrdiff_t>(some.size() / 2);
    std::nth_element(some.begin(), middle, some.end());
    return *middle;
}
[[nodiscard]] constexpr std::uint64_t level_of(std::span<const std::uint64_t> sizes) {
    std::vector<std::uint64_t> copied(sizes.begin(), sizes.end());
    return middle_of(std::span(copied));
}

}  // namespace growth_detail

/// The jump of a series: where it rises most from a size to the next, if the eight sizes from there on are higher than
/// the eight before by more than four times what sizes that far apart differ by anywhere else (all as their medians and
/// beside their usual difference, so that the slope of the series does not count). Empty if there is none, as
/// where there are several, or a spike, and below 40 sizes, which noise can order like a jump. O(sizes).
[[nodiscard]] constexpr std::optional<growth_jump> growth_jump_of(std::span<const std::uint64_t> sizes) {
    constexpr std::size_t side = growth_parts;
    if (sizes.size() < 5 * side) return std::nullopt;
    std::vector<std::uint64_t> all(sizes.begin(), sizes.end());
    for (std::uint64_t& each : all) each = std::min(each, max_grown_bytes);
    std::size_t where = 0;
    std::uint64_t highest = 0;
    for (std::size_t at = side; at + side <= all.size(); ++at) {
        if (all[at] <= all[at - 1] + highest) continue;
        highest = all[at] - all[at - 1];
        where = at;
    }
    if (where == 0) return std::nullopt;
    std::vector<std::int64_t> differences;  // of sizes that are both before it, or both after
    for (std::size_t at = side; at < all.size(); ++at)
        if (at < where || at >= where + side)
            differences.push_back(static_cast<std::int64_t>(all[at]) - static_cast<std::int64_t>(all[at - side]));
    const std::int64_t usual = growth_detail::middle_of(std::span(differences));
    std::int64_t farthest = 0;
    for (const std::int64_t each : differences)
        farthest = std::max(farthest, each < usual ? usual - each : each - usual);
    const std::span<const std::uint64_t> whole = all;
    const auto level = [&](std::size_t from) {
        return static_cast<std::int64_t>(growth_detail::level_of(whole.subspan(from, side)));
    };
    const std::int64_t risen = level(where) - level(where - side) - usual;
    if (risen <= 0 || risen / 4 <= farthest) return std::nullopt;
    return growth_jump{where + 1, static_cast<std::uint64_t>(risen)};
}

/// Whether a series ends higher than it began, by half as much again as the most that it falls from any size to a later
/// one: noise, a sawtooth and what comes and goes fall as far as they rise. It begins with the median of the first
/// eighth, at least eight sizes or half of them, and ends with that of the last. Sizes above `most` count as that.
/// O(sizes).
[[nodiscard]] constexpr std::optional<growth_rise> growth_rise_of(std::span<const std::uint64_t> sizes,
                                                                  std::uint64_t most = max_grown_bytes) {
    const std::size_t length = std::max(sizes.size() / growth_parts, std::min(growth_parts, sizes.size() / 2));
    if (length == 0) return std::nullopt;
    std::uint64_t high = 0;
    std::uint64_t fallen = 0;
    for (const std::uint64_t each : sizes) {
        high = std::max(high, std::min(each, most));
        fallen = std::max(fallen, high - std::min(each, most));
    }
    const growth_rise found{growth_detail::level_of(sizes.first(length)), growth_detail::level_of(sizes.last(length))};
    if (found.ended_bytes <= found.began_bytes || found.ended_bytes - found.began_bytes <= fallen + fallen / 2)
        return std::nullopt;
    return found;
}

}  // namespace hbm
