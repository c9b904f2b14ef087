#pragma once

/// How a hole is split between a block and what is left of it.
///
/// | expression                    | result | meaning                                                                          |
/// |-------------------------------|--------|----------------------------------------------------------------------------------|
/// | `S::taken(length, available)` | quanta | how much of `available` a block of `length` takes: no less, and no more than all |
/// | `S::is_exact`                 | `bool` | true when that is `length`, always                                               |
/// | `S::most_taken(length)`       | 64 bits | optional, unless exact: no block of `length` takes more of a hole that is longer |

#include <hbm/core/language.hpp>

#include <concepts>
#include <cstdint>

namespace hbm {

/// A way to split.
template <class S, class Quanta>
concept splits_holes = requires(const Quanta length, const Quanta available) {
    { S::taken(length, available) } -> std::same_as<Quanta>;
    { S::is_exact } -> std::convertible_to<bool>;
};

/// A block takes what it needs; the rest stays a hole.
struct split_exactly {
    static constexpr bool is_exact = true;

    template <class Quanta>
    [[nodiscard]] static constexpr Quanta taken(Quanta length, Quanta) noexcept {
        return length;
    }
};

/// A block takes the whole hole, unless as much again as it needs would be left, or more than anybody would waste. The
/// rule of XLA's BFC allocator (xla/tsl/framework/bfc_allocator.cc), where that is 128 MiB in quanta of 256 bytes.
struct split_when_worthwhile {
    static constexpr bool is_exact = false;
    /// What is left is never wasted if it has so many quanta.
    static constexpr unsigned worthwhile = 1u << 19;

    template <class Quanta>
    [[nodiscard]] static constexpr Quanta taken(Quanta length, Quanta available) noexcept {
        const auto left = static_cast<Quanta>(available - length);
        return left >= length || left >= worthwhile ? length : available;
    }
    /// Less than twice its length.
    [[nodiscard]] static constexpr std::uint64_t most_taken(std::uint64_t length) noexcept { return 2 * length - 1; }
};

}  // namespace hbm
