#pragma once

/// Search by halves.

#include <hbm/core/language.hpp>

#include <cstddef>
#include <optional>

namespace hbm {

/// The least number up to `most` for which `enough(number)` is true, if it is true for all that are more; empty where
/// it is not even for `most`. The latest call that was true was for that number. 1 + log2(most) calls.
template <class Enough>
[[nodiscard, gnu::cold]] constexpr std::optional<std::size_t> least_enough(std::size_t most, Enough enough) {
    if (!enough(most)) return std::nullopt;
    std::size_t least = 0;
    while (least < most) {
        const std::size_t middle = least + (most - least) / 2;
        if (enough(middle))
            most = middle;
        else
            least = middle + 1;
    }
    return most;
}

}  // namespace hbm
