#pragma once

/// The contract of a splitter: divides a hole between a block and the remainder.
///
/// | expression                    | result  | meaning                                                              |
/// |-------------------------------|---------|----------------------------------------------------------------------|
/// | `S::taken(length, available)` | quanta  | the quanta that a block of `length` takes, in `[length, available]`  |
/// | `S::is_exact`                 | `bool`  | true when the result is always `length`                              |
/// | `S::most_taken(length)`       | 64 bits | optional, unless exact: upper bound on `taken` for longer holes      |

#include <hbm/core/language.hpp>

#include <concepts>
#include <cstdint>

namespace hbm::inline v0 {

template <class S, class Quanta>
concept splits_holes = requires(const Quanta length, const Quanta available) {
    { S::taken(length, available) } -> std::same_as<Quanta>;
    { S::is_exact } -> std::convertible_to<bool>;
};

/// A splitter whose blocks take what they need; the remainder stays a hole.
struct split_exactly {
    static constexpr bool is_exact = true;

    template <class Quanta>
    [[nodiscard]] static constexpr Quanta taken(Quanta length, Quanta) noexcept {
        return length;
    }
};

/// A splitter whose blocks take the whole hole, unless the remainder is as long as the block or `worthwhile`: the rule
/// of XLA's BFC allocator (xla/tsl/framework/bfc_allocator.cc), 128 MiB in quanta of 256 bytes.
struct split_when_worthwhile {
    static constexpr bool is_exact = false;
    /// The remainder that is never wasted, in quanta.
    static constexpr unsigned worthwhile = 1u << 19;

    template <class Quanta>
    [[nodiscard]] static constexpr Quanta taken(Quanta length, Quanta available) noexcept {
        const auto left = static_cast<Quanta>(available - length);
        return left >= length || left >= worthwhile ? length : available;
    }
    [[nodiscard]] static constexpr std::uint64_t most_taken(std::uint64_t length) noexcept { return 2 * length - 1; }
};

}  // namespace hbm::inline v0
