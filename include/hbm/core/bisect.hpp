#pragma once

#include <hbm/core/language.hpp>

#include <cstddef>
#include <optional>

namespace hbm::inline v0 {

/// Returns the least number up to `most` for which the monotone predicate `enough` is true, or `nullopt` if
/// `enough(most)` is false. The last successful call is for the returned number.
/// Cost: 1 + log2(most) calls.
template <class Enough>
[[nodiscard, gnu::cold]] constexpr std::optional<std::size_t> least_enough(std::size_t most, Enough enough) {
    // The largest number first: if that does not suffice, nothing does, and a single call has told.
    if (!enough(most)) return std::nullopt;
    std::size_t least = 0;
    while (least < most) {
        // `enough(most)` stays true, and all numbers below `least` are too few.
        const std::size_t middle = least + (most - least) / 2;
        if (enough(middle))
            most = middle;
        else
            least = middle + 1;
    }
    return most;
}

}  // namespace hbm::inline v0
