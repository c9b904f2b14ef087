#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/range_sets.hpp>
#include <hbm/pack/sections.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0::pack::detail {

/// Placed blocks in a list sorted by offset, with linear search. Faster than a `placed_tree` up to about 1,500 blocks.
class placed_list {
public:
    /// Adds a block.
    constexpr void add(const section_range& life, const offset_range& range) {
        std::size_t at = blocks_.size();
        blocks_.push_back({range, life});
        for (; at != 0 && blocks_[at - 1].where.begin > range.begin; --at) blocks_[at] = blocks_[at - 1];
        blocks_[at] = {range, life};
    }

    /// Like `placed_tree::lowest_gap`.
    [[nodiscard]] constexpr std::uint64_t lowest_gap(const block& item, const section_range& life) {
        rising_offset rising(item);
        for (const placed& other : blocks_) {
            ++looks_;
            if (!other.life.meets(life)) continue;
            if (rising.ends_below(other.where)) break;
            rising.avoid(other.where);
        }
        return rising.is_possible() ? rising.offset() : anywhere;
    }

    /// Returns the number of blocks visited so far.
    [[nodiscard]] constexpr std::uint64_t looks() const noexcept { return looks_; }

private:
    struct placed {
        offset_range where;
        section_range life;
    };
    trivial_vector<placed> blocks_;
    std::uint64_t looks_ = 0;
};

/// Placed blocks in a segment tree over sections (Bentley, 1977). A node stores the bytes of blocks that live
/// throughout its sections, and of those that live in any of them. Blocks lie close, so thousands form few ranges, and
/// long lives are as fast as brief ones.
class placed_tree {
public:
    constexpr explicit placed_tree(std::uint32_t sections)
        : leaves_(std::bit_ceil(sections)), throughout_(std::size_t{2} * leaves_),
          anywhere_in_(std::size_t{2} * leaves_) {}

    /// Adds a block.
    /// Cost: O(log sections x ranges of a node).
    constexpr void add(const section_range& life, const offset_range& range) {
        for_cover(life, [&](std::uint32_t node) {
            throughout_.add(node, range);
            anywhere_in_.add(node, range);
        });
        for_nodes_above(life, [&](std::uint32_t node) { anywhere_in_.add(node, range); });
        looks_ += 32;  // approximate cost
    }

    /// Returns the lowest offset at which `item`, which lives in the sections `life`, overlaps no block. Returns
    /// `anywhere` if its given offset is taken, or there is none below 2^64.
    /// Cost: O(ranges of O(log sections) nodes).
    [[nodiscard]] constexpr std::uint64_t lowest_gap(const block& item, const section_range& life) {
        // Each list forbids ranges, sorted. The offset rises past what one list forbids, then the next list is asked,
        // in turn, until all admit it one after the other: as in a merge, every range is looked at once.
        in_the_way_.clear();
        for_cover(life, [&](std::uint32_t node) { see(anywhere_in_[node]); });
        for_nodes_above(life, [&](std::uint32_t node) { see(throughout_[node]); });
        rising_offset rising(item);
        std::size_t agreed = 0;  // consecutive lists that admit the offset
        for (std::size_t at = 0; agreed < in_the_way_.size() && rising.is_possible(); ++agreed) {
            std::span<const offset_range>& list = in_the_way_[at];
            const std::uint64_t before = rising.offset();
            std::size_t passed = 0;
            while (passed < list.size() && !rising.ends_below(list[passed])) rising.avoid(list[passed++]);
            looks_ += passed + 1;
            list = list.subspan(passed);
            if (rising.offset() != before) agreed = 0;
            if (++at == in_the_way_.size()) at = 0;
        }
        return rising.is_possible() ? rising.offset() : anywhere;
    }

    /// Returns the number of ranges visited so far.
    [[nodiscard]] constexpr std::uint64_t looks() const noexcept { return looks_; }

private:
    constexpr void see(std::span<const offset_range> ranges) {
        if (!ranges.empty()) in_the_way_.push_back(ranges);
    }
    /// Visits the fewest nodes that cover a life.
    template <class Visit>
    constexpr void for_cover(const section_range& life, Visit visit) const {
        // The usual walk of a segment tree over an array: from both ends inwards, taking a node where its parent would
        // reach beyond the life.
        std::uint32_t low = life.first + leaves_;
        std::uint32_t high = life.last + leaves_;
        for (; low < high; low /= 2, high /= 2) {
            if (low % 2 != 0) visit(low++);
            if (high % 2 != 0) visit(--high);
        }
    }
    /// Visits the nodes that a life is a part of.
    template <class Visit>
    constexpr void for_nodes_above(const section_range& life, Visit visit) const {
        // The parents of the nodes at both ends. A parent that lies wholly in the life is covered and does not count.
        std::uint32_t low = life.first + leaves_;
        std::uint32_t high = life.last - 1 + leaves_;
        std::uint64_t width = 1;
        const auto exceeds = [&](std::uint32_t node) {
            const std::uint64_t first = node * width - leaves_;
            return first < life.first || first + width > life.last;
        };
        for (; low != 0; low /= 2, high /= 2, width *= 2) {
            if (exceeds(low)) visit(low);
            if (high != low && exceeds(high)) visit(high);
        }
    }

    std::uint32_t leaves_;
    range_sets throughout_;   // bytes of the blocks that live throughout each node
    range_sets anywhere_in_;  // bytes of all blocks that live in each node
    trivial_vector<std::span<const offset_range>> in_the_way_;
    std::uint64_t looks_ = 0;
};

}  // namespace hbm::inline v0::pack::detail
