#pragma once

/// Memory under attack: the adversary observes the place of each block and chooses its next request.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/request.hpp>
#include <hbm/placement/placement.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::testing {

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
    [[nodiscard]] constexpr std::vector<std::size_t> live_blocks() const {
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

}  // namespace hbm::testing
