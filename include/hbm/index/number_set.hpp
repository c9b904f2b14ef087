#pragma once

/// A set of small numbers that finds its next member.

#include <hbm/core/trivial_vector.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm {

/// A set of numbers below a limit: a bitmap, under a bitmap of its words that are not empty, under a word that says the
/// same of those. Whether a list became empty is what a processor guesses worst: changing the set asks no more than
/// whether 4,096 numbers at once are out of it.
class number_set {
public:
    static constexpr unsigned none = ~0u;
    /// The greatest limit: what three levels of 64 hold.
    static constexpr std::size_t greatest_limit = 64 * 64 * 64;

    constexpr number_set() = default;
    /// The empty set of numbers below `limit`. O(limit / 64).
    constexpr explicit number_set(std::size_t limit) : words_((limit + 63) / 64, 0) {}

    /// O(1), as all that follow.
    [[gnu::always_inline]] constexpr void insert(unsigned number) noexcept {
        words_[number / 64] |= bit(number);
        groups_[number / 4096] |= bit(number / 64);
        summary_ |= bit(number / 4096);
    }
    constexpr void erase(unsigned number) noexcept { erase_if(number, true); }
    /// Takes `number` out if `gone`.
    [[gnu::always_inline]] constexpr void erase_if(unsigned number, bool gone) noexcept {
        const std::uint64_t word = words_[number / 64] & ~(std::uint64_t{gone} << number % 64);
        words_[number / 64] = word;
        const std::uint64_t above = groups_[number / 4096] & ~(std::uint64_t{word == 0} << number / 64 % 64);
        groups_[number / 4096] = above;
        if (above == 0) [[unlikely]]
            summary_ &= ~bit(number / 4096);
    }

    /// The smallest member >= `number`, which is below the limit; or `none`.
    [[nodiscard, gnu::always_inline]] constexpr unsigned at_least(unsigned number) const noexcept {
        const std::uint64_t here = words_[number / 64] >> number % 64;
        return here != 0 ? number + static_cast<unsigned>(std::countr_zero(here)) : after_word(number / 64);
    }
    /// The smallest member > `number`, which is below the limit; or `none`.
    [[nodiscard, gnu::always_inline]] constexpr unsigned above(unsigned number) const noexcept {
        const std::uint64_t here = words_[number / 64] & above_bit(number);
        return here != 0 ? first_of(number / 64, here) : after_word(number / 64);
    }
    /// The largest member <= `number`, which is below the limit; or `none`.
    [[nodiscard]] constexpr unsigned at_most(unsigned number) const noexcept {
        return (words_[number / 64] & bit(number)) != 0 ? number : below(number);
    }
    /// The largest member < `number`, which is below the limit; or `none`.
    [[nodiscard]] constexpr unsigned below(unsigned number) const noexcept {
        const unsigned word = number / 64;
        if (const std::uint64_t here = words_[word] & below_bit(number); here != 0) return last_of(word, here);
        const std::uint64_t beside = groups_[word / 64] & below_bit(word);
        return beside != 0 ? last_in(last_of(word / 64, beside)) : last_under(summary_ & below_bit(word / 64));
    }
    /// The largest member, or `none`.
    [[nodiscard]] constexpr unsigned largest() const noexcept { return last_under(summary_); }

private:
    [[nodiscard]] static constexpr std::uint64_t bit(unsigned number) noexcept {
        return std::uint64_t{1} << number % 64;
    }
    [[nodiscard]] static constexpr std::uint64_t below_bit(unsigned number) noexcept { return bit(number) - 1; }
    [[nodiscard]] static constexpr std::uint64_t above_bit(unsigned number) noexcept {
        return ~std::uint64_t{1} << number % 64;
    }
    /// The number of the lowest and of the highest bit of a word that is not empty.
    [[nodiscard]] static constexpr unsigned first_of(unsigned word, std::uint64_t bits) noexcept {
        return word * 64 + static_cast<unsigned>(std::countr_zero(bits));
    }
    [[nodiscard]] static constexpr unsigned last_of(unsigned word, std::uint64_t bits) noexcept {
        return word * 64 + 63 - static_cast<unsigned>(std::countl_zero(bits));
    }
    [[nodiscard]] constexpr unsigned first_in(unsigned word) const noexcept { return first_of(word, words_[word]); }
    [[nodiscard]] constexpr unsigned last_in(unsigned word) const noexcept { return last_of(word, words_[word]); }

    [[nodiscard]] constexpr unsigned after_word(unsigned word) const noexcept {
        const std::uint64_t beside = groups_[word / 64] & above_bit(word);
        if (beside != 0) return first_in(first_of(word / 64, beside));
        const std::uint64_t beyond = summary_ & above_bit(word / 64);
        if (beyond == 0) return none;
        const unsigned next = first_of(0, beyond);
        return first_in(first_of(next, groups_[next]));
    }
    /// The largest member under these bits of the summary.
    [[nodiscard]] constexpr unsigned last_under(std::uint64_t bits) const noexcept {
        if (bits == 0) return none;
        const unsigned next = last_of(0, bits);
        return last_in(last_of(next, groups_[next]));
    }

    trivial_vector<std::uint64_t> words_;
    std::uint64_t groups_[64] = {};  // which words are not empty
    std::uint64_t summary_ = 0;      // which groups are not
};

}  // namespace hbm
