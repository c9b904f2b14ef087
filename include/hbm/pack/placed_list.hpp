#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>
#include <hbm/pack/lowest_gap.hpp>
#include <hbm/pack/range_sets.hpp>
#include <hbm/pack/sections.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0::pack {

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

}  // namespace hbm::inline v0::pack
