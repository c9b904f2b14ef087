#pragma once

#include <cstdint>

namespace hbm::inline v0::testing {

/// A random number generator that depends on its seed alone: SplitMix64 (Steele, Lea and Flood, "Fast splittable
/// pseudorandom number generators", 2014). A regular value.
class random_numbers {
public:
    constexpr explicit random_numbers(std::uint64_t seed) noexcept : state_(seed) {}

    constexpr std::uint64_t next() noexcept {
        // A counter and a mixer: every seed has the full period, and there are no bad seeds, so stories can be numbered
        // 1, 2, 3.
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        return mixed ^ (mixed >> 31);
    }
    /// Returns a number below `bound`, nearly uniform.
    /// Requires: `bound` is not 0.
    constexpr std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
    /// Returns a number from 0 to `most`.
    constexpr std::uint64_t up_to(std::uint64_t most) noexcept {
        return most == ~std::uint64_t{0} ? next() : below(most + 1);
    }
    /// Returns true once in `rounds` times, on average.
    constexpr bool once_in(std::uint64_t rounds) noexcept { return below(rounds) == 0; }

    friend constexpr bool operator==(const random_numbers&, const random_numbers&) = default;

private:
    std::uint64_t state_;
};

}  // namespace hbm::inline v0::testing
