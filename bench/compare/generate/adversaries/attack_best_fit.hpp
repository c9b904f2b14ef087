#pragma once

/// The bad case of best fit: nearly all holes as long as the longest block, each above a block of one quantum.

#include <hbm/core/trivial_vector.hpp>
#include <hbm/placement/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "compare/generate/adversaries/attacks.hpp"

namespace hbm::inline v0::testing {

/// Returns the quanta that best fit can be forced to need, with sizes up to `largest` and at most `live` quanta live.
/// The bound is (live - 4 largest + 11) (largest - 2), close to live * largest. See Robson, Worst case fragmentation of
/// first fit and best fit storage allocation strategies, Computer Journal 20, 1977. Also Knuth, The Art of Computer
/// Programming, volume 1, 2.5, exercise 42. Requires: `largest` is at least 6 and `live` at least 4 times as much.
/// Cost: O(1).
[[nodiscard]] constexpr std::uint64_t best_fit_bound(std::uint64_t live, std::uint64_t largest) noexcept {
    return (live + 11 - 4 * largest) * (largest - 2);
}

/// Returns a bound for every placement that takes a hole whenever a hole fits, and else goes above all blocks: (live -
/// largest + 1) * largest. If a block of s quanta goes above all others, at most live - s quanta of others exist. They
/// are at most as many blocks, each above a hole of at most s - 1. Requires: `live` is at least twice `largest`.
/// Cost: O(1).
[[nodiscard]] constexpr std::uint64_t hole_taker_bound(std::uint64_t live, std::uint64_t largest) noexcept {
    return (live + 1 - largest) * largest;
}

/// Robson's attack on best fit (1977; Knuth's answer to exercise 42), with the largest size m. Memory begins with a
/// block of m - 2 quanta. Holes of m - 3 follow, each with a separator, a block of one quantum. Each round makes a hole
/// of m at the top, too long for a separator, and swaps it with one separator after the other. The blocks of m - 2, m -
/// 5, 2 and 1 quanta that do it fit exactly one hole each. At the low end the hole and the block of m - 2 become two
/// holes of m - 3 with their separators.
/// Cost: O(live^2) requests.
template <placement P>
class best_fit_attack {
public:
    /// Constructs an attack. Requires: `largest` is at least 6.
    best_fit_attack(memory_under_attack<P>& memory, std::uint64_t largest) : memory_(memory), m_(largest) {}

    /// Runs all rounds that the budget allows. It ends early if a block is not at the place that best fit gives it.
    void run() {
        if (m_ < 6 || !memory_.affords(m_ - 2)) return;
        base_ = memory_.allocate(m_ - 2);
        while (memory_.affords(3 * (m_ - 2)) && round()) {
        }
    }

private:
    // Places a new block. Returns true if it lies at the start of the hole.
    bool put(std::uint64_t size, std::uint64_t offset, std::size_t& block) {
        block = memory_.allocate(size);
        return memory_[block].offset == offset;
    }

    // Makes a hole of m, then blocks of m - 5 and 1, from a hole of 2m - 4 below a block.
    bool make_long_hole(std::uint64_t offset) {
        std::size_t whole = 0;
        if (!put(m_, offset, whole) || !put(m_ - 5, offset + m_, filler_) || !put(1, offset + 2 * m_ - 5, separator_))
            return false;
        hole_ = offset;
        memory_.free(whole);
        return true;
    }

    bool round() {
        const std::size_t low = memory_.allocate(m_ - 2);
        const std::size_t high = memory_.allocate(m_ - 2);
        const std::size_t guard = memory_.allocate(m_ - 2);
        const std::uint64_t offset = memory_[low].offset;
        if (memory_[high].offset != offset + m_ - 2 || memory_[guard].offset != offset + 2 * (m_ - 2)) return false;
        memory_.free(low);
        memory_.free(high);
        if (!make_long_hole(offset)) return false;
        memory_.free(guard);
        std::vector<std::size_t> passed;  // separators above the hole, highest first
        for (; !separators_.empty(); separators_.pop_back()) {
            passed.push_back(separator_);
            if (!change_places(separators_.back())) return false;
        }
        passed.push_back(separator_);
        if (!change_places(base_)) return false;
        passed.push_back(separator_);
        memory_.free(filler_);
        separators_.assign(passed.rbegin(), passed.rend());
        return put(m_ - 2, hole_, base_);
    }

    // Moves the long hole below the separator that ends at its start, and below the hole under that.
    bool change_places(std::size_t below) {
        std::size_t most = 0;
        std::size_t rest = 0;
        if (!put(m_ - 2, hole_, most) || !put(2, hole_ + m_ - 2, rest)) return false;
        const std::uint64_t offset = hole_ - (m_ - 2);
        const std::size_t old_filler = filler_;
        memory_.free(below);
        memory_.free(most);
        if (!make_long_hole(offset)) return false;
        memory_.free(rest);
        memory_.free(old_filler);
        return true;
    }

    memory_under_attack<P>& memory_;
    std::uint64_t m_;
    std::size_t base_ = 0;
    std::vector<std::size_t> separators_;  // lowest first, all below the long hole
    std::uint64_t hole_ = 0;               // start of the long hole
    std::size_t filler_ = 0;               // two blocks above it
    std::size_t separator_ = 0;
};

/// Drives best fit to at least `best_fit_bound`; see `best_fit_attack`. Cost: O(live^2) requests.
template <placement P>
void attack_best_fit(memory_under_attack<P>& memory, std::uint64_t largest) {
    best_fit_attack<P>(memory, largest).run();
}

}  // namespace hbm::inline v0::testing
