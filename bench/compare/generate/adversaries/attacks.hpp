#pragma once
/// Memory under attack: the adversary observes the place of each block and chooses its next request. Attacks on first
/// fit, on buddy, and on every placement that does not move blocks.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/request.hpp>
#include <hbm/placement/placement.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <vector>

namespace hbm::inline v0::testing {

/// Block that an adversary requested. Sizes and offsets are in quanta.
struct attacked_block {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;  ///< size as requested
    bool live = true;

    /// Returns the end of the requested range. Cost: O(1).
    [[nodiscard]] constexpr std::uint64_t end() const noexcept { return offset + size; }

    friend constexpr bool operator==(const attacked_block&, const attacked_block&) = default;
};

/// Step of an adversary: it requests or frees a block.
struct attack_step {
    std::size_t block = 0;  ///< number of the block, in the order of requests
    bool is_free = false;

    friend constexpr bool operator==(const attack_step&, const attack_step&) = default;
};

/// Placement without a limit, with the blocks and the past steps of an adversary. An adversary never has more than
/// `budget()` quanta live. The memory needed is the highest end of all blocks ever placed, rounding inside a block
/// included.
template <placement P>
class memory_under_attack {
public:
    /// Constructs a memory without blocks; at most `budget` quanta will be live.
    constexpr explicit memory_under_attack(std::uint64_t budget) : placed_(P::unlimited), budget_(budget) {}

    /// Requests a block; returns its number, in the order of requests. Requires: `affords(size)`. Cost: a placement.
    constexpr std::size_t allocate(std::uint64_t size) {
        need<typename P::quanta> wanted;
        wanted.length = static_cast<typename P::quanta>(size);
        const block_index placed = placed_.place(wanted);
        indices_.push_back(placed);
        blocks_.push_back({placed_.map().offset(placed), size, true});
        steps_.push_back({blocks_.size() - 1, false});
        live_ += size;
        peak_ = std::max(peak_, live_);
        needed_ = std::max<std::uint64_t>(needed_, placed_.map().end(placed));
        return blocks_.size() - 1;
    }
    /// Frees a live block. Cost: a release.
    constexpr void free(std::size_t block) {
        placed_.release(indices_[block]);
        blocks_[block].live = false;
        steps_.push_back({block, true});
        live_ -= blocks_[block].size;
    }

    /// Returns true if a request of this size stays within the budget. Cost: O(1).
    [[nodiscard]] constexpr bool affords(std::uint64_t size) const noexcept { return live_ + size <= budget_; }
    /// Returns a block by its number. Cost: O(1).
    [[nodiscard]] constexpr const attacked_block& operator[](std::size_t block) const { return blocks_[block]; }
    /// Returns the numbers of all live blocks, lowest offset first. Cost: O(b log b) in all requests so far.
    [[nodiscard]] std::vector<std::size_t> live_blocks() const {
        std::vector<std::size_t> found;
        for (std::size_t block = 0; block < blocks_.size(); ++block)
            if (blocks_[block].live) found.push_back(block);
        std::sort(found.begin(), found.end(),
                  [this](std::size_t a, std::size_t b) { return blocks_[a].offset < blocks_[b].offset; });
        return found;
    }

    /// Returns all blocks in the order of requests, or all steps. Cost: O(1).
    [[nodiscard]] constexpr const std::vector<attacked_block>& blocks() const noexcept { return blocks_; }
    [[nodiscard]] constexpr const std::vector<attack_step>& steps() const noexcept { return steps_; }
    /// Returns the limit on live quanta, the live quanta, or their peak. Cost: O(1).
    [[nodiscard]] constexpr std::uint64_t budget() const noexcept { return budget_; }
    [[nodiscard]] constexpr std::uint64_t live() const noexcept { return live_; }
    [[nodiscard]] constexpr std::uint64_t peak() const noexcept { return peak_; }
    /// Returns the highest end so far, in quanta. Cost: O(1).
    [[nodiscard]] constexpr std::uint64_t needed() const noexcept { return needed_; }

private:
    P placed_;
    std::uint64_t budget_;
    std::uint64_t live_ = 0;
    std::uint64_t peak_ = 0;
    std::uint64_t needed_ = 0;
    std::vector<block_index> indices_;
    std::vector<attacked_block> blocks_;
    std::vector<attack_step> steps_;
};

/// Returns the quanta that sizes of powers of two up to `largest` can force from every placement that does not move
/// blocks. With at most `live` quanta live, it is live * (log2(largest) / 2 + 1) - largest + 1. See Robson, Bounds for
/// some functions concerning dynamic storage allocation, JACM 21, 1974. An optimal placement needs no more for such
/// sizes. Requires: `largest` is a power of two, `live` a multiple of twice that.
/// Cost: O(1).
[[nodiscard]] constexpr std::uint64_t robson_bound(std::uint64_t live, std::uint64_t largest) noexcept {
    const auto doublings = static_cast<std::uint64_t>(std::countr_zero(largest));
    return live + live * doublings / 2 - largest + 1;
}

/// Returns true if a block has a quantum at an offset that is `place` modulo `period`. Cost: O(1).
[[nodiscard]] constexpr bool occupies(const attacked_block& block, std::uint64_t place, std::uint64_t period) noexcept {
    return (place + period - block.offset % period) % period < block.size;
}

/// Requests blocks of a size as long as the budget lasts. Cost: O(budget / size) requests.
template <placement P>
constexpr void fill(memory_under_attack<P>& memory, std::uint64_t size) {
    while (memory.affords(size)) memory.allocate(size);
}

/// Runs Robson's sequence (1974; here after Cohen and Petrank, Limitations of partial compaction, PLDI 2013). Blocks of
/// one quantum fill the memory. Then the period doubles each time. Of two places in the period the adversary takes the
/// one whose blocks leave more room in their periods. It frees all others, and fills free quanta again with blocks as
/// long as the period. Blocks that are live before count as all others. Drives every placement that does not move to at
/// least `robson_bound`.
/// Cost: O(live log largest) requests.
template <placement P>
void run_robson_sequence(memory_under_attack<P>& memory, std::uint64_t largest) {
    fill(memory, 1);
    std::uint64_t place = 0;
    for (std::uint64_t period = 2; period <= largest; period *= 2) {
        const std::vector<std::size_t> live = memory.live_blocks();
        const auto room_at = [&](std::uint64_t at) {
            std::uint64_t room = 0;
            for (const std::size_t block : live)
                if (occupies(memory[block], at, period)) room += period - std::min(period, memory[block].size);
            return room;
        };
        if (room_at(place + period / 2) > room_at(place)) place += period / 2;
        for (const std::size_t block : live)
            if (!occupies(memory[block], place, period)) memory.free(block);
        fill(memory, period);
    }
}

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
void thin_out(memory_under_attack<P>& memory, std::uint64_t size) {
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
void attack_first_fit(memory_under_attack<P>& memory, std::uint64_t largest) {
    fill(memory, 1);
    for (std::uint64_t size = 2; size <= largest; ++size) {
        thin_out(memory, size);
        fill(memory, size);
    }
}

/// Returns a bound for `buddy` with sizes that are powers of two up to `largest`: the smallest power of two at or above
/// `robson_bound`. It takes a higher half only if no free part of the lower one is long enough, so Robson's bound
/// limits the lower half. But a block in the higher half attracts others, up to its end. Requires: `largest` is a power
/// of two, `live` a multiple of twice that.
/// Cost: O(1).
[[nodiscard]] constexpr std::uint64_t buddy_bound(std::uint64_t live, std::uint64_t largest) noexcept {
    return std::bit_ceil(robson_bound(live, largest));
}

/// Runs Robson's sequence as long as each run needs more memory than the one before. Between two runs only the highest
/// block stays, because the smallest free blocks, which buddy takes first, are next to it. Drives `buddy` to 9/10 of
/// `buddy_bound`.
/// Cost: O(live log largest) requests a run, O(log) runs.
template <placement P>
void attack_buddy(memory_under_attack<P>& memory, std::uint64_t largest) {
    for (std::uint64_t before = ~std::uint64_t{0}; memory.needed() != before;) {
        before = memory.needed();
        run_robson_sequence(memory, largest);
        const std::vector<std::size_t> live = memory.live_blocks();
        for (std::size_t at = 0; at + 1 < live.size(); ++at) memory.free(live[at]);
    }
}

}  // namespace hbm::inline v0::testing
