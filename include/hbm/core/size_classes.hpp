#pragma once

/// Sizes sorted into classes, and which classes are occupied.

#include <bit>
#include <cstdint>

namespace hbm {

/// Classes as a small floating-point number would have them (Masmano et al., "TLSF", 2004): sizes below `per_doubling`
/// have a class of their own, every doubling above is cut into `per_doubling` classes of equal width.
template <class Quanta, unsigned PerDoublingLog2 = 5>
struct size_classes {
    static constexpr unsigned per_doubling = 1u << PerDoublingLog2;
    static constexpr unsigned bits = sizeof(Quanta) * 8;
    static constexpr unsigned count = (bits - PerDoublingLog2 + 1) * per_doubling;

    /// The class that `size` belongs to; never falls as the size grows. O(1).
    [[nodiscard]] static constexpr unsigned of(Quanta size) noexcept {
        if (size < per_doubling) return static_cast<unsigned>(size);
        const auto top = static_cast<unsigned>(std::bit_width(size)) - 1;
        const unsigned shift = top - PerDoublingLog2;
        return (shift << PerDoublingLog2) + static_cast<unsigned>(size >> shift);
    }
};

/// A set of small numbers that finds its next member: a bitmap of `Count` bits under a second one, `Count` <= 4096.
template <unsigned Count>
class occupied_set {
    static_assert(Count <= 64 * 64, "two levels of 64 bits reach 4096 numbers");

public:
    static constexpr unsigned none = ~0u;

    constexpr void insert(unsigned number) noexcept {
        words_[number / 64] |= std::uint64_t{1} << number % 64;
        summary_ |= std::uint64_t{1} << number / 64;
    }
    constexpr void erase(unsigned number) noexcept {
        words_[number / 64] &= ~(std::uint64_t{1} << number % 64);
        if (words_[number / 64] == 0) summary_ &= ~(std::uint64_t{1} << number / 64);
    }
    /// The smallest member >= `number`, or `none`. O(1).
    [[nodiscard]] constexpr unsigned at_least(unsigned number) const noexcept {
        if (number >= Count) return none;
        const unsigned word = number / 64;
        if (const std::uint64_t here = words_[word] >> number % 64; here != 0)
            return number + static_cast<unsigned>(std::countr_zero(here));
        const std::uint64_t above = word == 63 ? 0 : summary_ >> (word + 1) << (word + 1);
        if (above == 0) return none;
        const auto next = static_cast<unsigned>(std::countr_zero(above));
        return next * 64 + static_cast<unsigned>(std::countr_zero(words_[next]));
    }
    /// The largest member, or `none`. O(1).
    [[nodiscard]] constexpr unsigned largest() const noexcept {
        if (summary_ == 0) return none;
        const auto word = static_cast<unsigned>(std::bit_width(summary_)) - 1;
        return word * 64 + static_cast<unsigned>(std::bit_width(words_[word])) - 1;
    }

private:
    std::uint64_t words_[(Count + 63) / 64] = {};
    std::uint64_t summary_ = 0;
};

}  // namespace hbm
