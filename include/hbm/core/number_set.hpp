#pragma once

/// A set of small numbers that finds its next member.

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm {

/// A set of numbers below a limit: a bitmap under a bitmap of its words that are not empty. Changing it takes no
/// branch: whether a list became empty is what a processor guesses worst.
class number_set {
public:
    static constexpr unsigned none = ~0u;

    constexpr number_set() = default;
    /// The empty set of numbers below `limit`. O(limit / 64).
    constexpr explicit number_set(std::size_t limit)
        : words_((limit + 63) / 64, 0), summary_((words_.size() + 63) / 64, 0) {}

    /// O(1), as the next two.
    [[gnu::always_inline]] constexpr void insert(unsigned number) noexcept {
        words_[number / 64] |= std::uint64_t{1} << number % 64;
        summary_[number / 4096] |= std::uint64_t{1} << number / 64 % 64;
    }
    constexpr void erase(unsigned number) noexcept { erase_if(number, true); }
    /// Takes `number` out if `gone`.
    [[gnu::always_inline]] constexpr void erase_if(unsigned number, bool gone) noexcept {
        const std::uint64_t word = words_[number / 64] & ~(std::uint64_t{gone} << number % 64);
        words_[number / 64] = word;
        summary_[number / 4096] &= ~(std::uint64_t{word == 0} << number / 64 % 64);
    }

    /// The smallest member >= `number`, which is below the limit; or `none`. O(limit / 4096), O(1) for dense sets.
    [[nodiscard, gnu::always_inline]] constexpr unsigned at_least(unsigned number) const noexcept {
        const std::uint64_t here = words_[number / 64] >> number % 64;
        return here != 0 ? number + static_cast<unsigned>(std::countr_zero(here)) : after_word(number / 64);
    }
    /// The smallest member > `number`, or `none`. Cost as above.
    [[nodiscard, gnu::always_inline]] constexpr unsigned above(unsigned number) const noexcept {
        const std::uint64_t here = words_[number / 64] >> number % 64 >> 1;
        return here != 0 ? number + 1 + static_cast<unsigned>(std::countr_zero(here)) : after_word(number / 64);
    }
    /// The largest member <= `number`, or `none`. Cost as above.
    [[nodiscard]] constexpr unsigned at_most(unsigned number) const noexcept {
        const std::uint64_t here = words_[number / 64] << (63 - number % 64);
        return here != 0 ? number - static_cast<unsigned>(std::countl_zero(here)) : before_word(number / 64);
    }
    /// The largest member < `number`, or `none`. Cost as above.
    [[nodiscard]] constexpr unsigned below(unsigned number) const noexcept {
        return number == 0 ? none : at_most(number - 1);
    }
    /// The largest member, or `none`. Cost as above.
    [[nodiscard]] constexpr unsigned largest() const noexcept {
        return words_.empty() ? none : at_most(static_cast<unsigned>(words_.size() * 64 - 1));
    }

private:
    [[nodiscard]] constexpr unsigned after_word(unsigned word) const noexcept {
        std::size_t at = word / 64;
        std::uint64_t rest = summary_[at] >> word % 64 >> 1 << word % 64 << 1;
        while (rest == 0) {
            if (++at == summary_.size()) return none;
            rest = summary_[at];
        }
        const auto next = static_cast<unsigned>(at * 64) + static_cast<unsigned>(std::countr_zero(rest));
        return next * 64 + static_cast<unsigned>(std::countr_zero(words_[next]));
    }
    [[nodiscard]] constexpr unsigned before_word(unsigned word) const noexcept {
        std::size_t at = word / 64;
        std::uint64_t rest = summary_[at] & ((std::uint64_t{1} << word % 64) - 1);
        while (rest == 0) {
            if (at-- == 0) return none;
            rest = summary_[at];
        }
        const auto next = static_cast<unsigned>(at * 64 + 63) - static_cast<unsigned>(std::countl_zero(rest));
        return next * 64 + 63 - static_cast<unsigned>(std::countl_zero(words_[next]));
    }

    std::vector<std::uint64_t> words_;
    std::vector<std::uint64_t> summary_;
};

}  // namespace hbm
