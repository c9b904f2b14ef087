#pragma once

/// A bad case of first fit: sizes that grow by a quantum at a time.

#include <hbm/blocks/block_map.hpp>
#include <hbm/placement/placement.hpp>

#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

#include "compare/generate/adversaries/memory_under_attack.hpp"
#include "compare/generate/adversaries/robson_sequence.hpp"

namespace hbm::testing {

/// Returns a bound for first fit with sizes up to `largest` and at most `live` quanta live: live * H(largest) / ln 2,
/// with H(n) = 1 + 1/2 + ... + 1/n. That is about live * log2(largest). See Robson, Worst case fragmentation of first
/// fit and best fit storage allocation strategies, Computer Journal 20, 1977. Also Knuth, The Art of Computer
/// Programming, volume 1, 2.5, exercise 43.
/// Cost: O(largest).
[[nodiscard]] constexpr double first_fit_bound(std::uint64_t live, std::uint64_t largest) noexcept {
    double harmonic = 0;
    for (std::uint64_t size = 1; size <= largest; ++size) harmonic += 1 / static_cast<double>(size);
    return static_cast<double>(live) * harmonic / std::numbers::ln2;
}

/// Frees as many blocks as possible while every hole stays shorter than `size`. From the low end on, a block goes if it
/// and the holes next to it are shorter than `size` together.
/// Cost: O(b log b) in all requests so far.
template <placement P>
constexpr void thin_out(memory_under_attack<P>& memory, std::uint64_t size) {
    const std::vector<std::size_t> live = memory.live_blocks();
    std::uint64_t kept_end = 0;
    for (std::size_t at = 0; at + 1 < live.size(); ++at) {
        if (memory[live[at + 1]].offset - kept_end < size)
            memory.free(live[at]);
        else
            kept_end = memory[live[at]].end();
    }
}

/// Fills all with blocks of one quantum; then, for each size from two to `largest`, thins out and fills free quanta
/// again. No hole is long enough at any time, so all new blocks lie above all others.
/// In a run of blocks of k quanta, half stay when the size is k + 1, a quarter when it is 3k + 1, and so on. No order
/// of sizes does more by thinning by halves: it is the optimum of the linear program over the placed quanta of each
/// size. It reaches 0.72 of `first_fit_bound` if live is 64 times largest, and 0.59 to 0.67 at 4 to 8 times. It reaches
/// 9/10 of live * log2(largest) up to a largest size of 8: bench/RESULTS.md explains the limit. Cost: O(live log
/// largest) requests.
template <placement P>
constexpr void attack_first_fit(memory_under_attack<P>& memory, std::uint64_t largest) {
    fill(memory, 1);
    for (std::uint64_t size = 2; size <= largest; ++size) {
        thin_out(memory, size);
        fill(memory, size);
    }
}

}  // namespace hbm::testing
