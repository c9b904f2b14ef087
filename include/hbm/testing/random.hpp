#pragma once

/// Random numbers for tests: the same everywhere, from a seed alone.

#include <cstdint>

namespace hbm::testing {

/// SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", 2014). A regular value.
class random_numbers {
public:
    constexpr explicit random_numbers(std::uint64_t seed) noexcept : state_(seed) {}

    /// Any 64 bits. O(1).
    constexpr std::uint64_t next() noexcept {
        state_ += 0x9e3779b97f4a7c15u;
        std::uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
        return mixed ^ (mixed >> 31);
    }
    /// A number below `bound`, which is not 0. Close enough to uniform for tests. O(1).
    constexpr std::uint64_t below(std::uint64_t bound) noexcept { return next() % bound; }
    /// A number from 0 to `most`. O(1).
    constexpr std::uint64_t up_to(std::uint64_t most) noexcept {
        return most == ~std::uint64_t{0} ? next() : below(most + 1);
    }
    /// True once in `rounds` times, on average. O(1).
    constexpr bool once_in(std::uint64_t rounds) noexcept { return below(rounds) == 0; }

    friend constexpr bool operator==(const random_numbers&, const random_numbers&) = default;

private:
    std::uint64_t state_;
};

}  // namespace hbm::testing
