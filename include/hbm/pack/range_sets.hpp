#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/pack/block.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hbm::inline v0::pack::detail {

/// The offsets of a block, `[begin, end)`.
struct offset_range {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
};

/// Many sets of bytes in a single allocation. Each set is a sorted list of disjoint ranges that do not touch.
class range_sets {
public:
    constexpr explicit range_sets(std::size_t count) { sets_.resize(count, set{}); }

    /// Returns the ranges of a set, valid until the next `add`.
    [[nodiscard]] constexpr std::span<const offset_range> operator[](std::size_t which) const noexcept {
        return {pool_.data() + sets_[which].at, sets_[which].count};
    }

    /// Adds a range to a set.
    /// Cost: O(ranges of the set).
    constexpr void add(std::size_t which, const offset_range& range) {
        // Ranges that the new one overlaps or touches become one with it, so a set stays sorted, disjoint and short: in
        // good packings most blocks touch.
        set& target = sets_[which];
        const offset_range* const old = pool_.data() + target.at;
        const auto ends_below = [](const offset_range& other, std::uint64_t begin) { return other.end < begin; };
        const auto low =
            static_cast<std::uint32_t>(std::lower_bound(old, old + target.count, range.begin, ends_below) - old);
        offset_range merged = range;
        std::uint32_t after = low;
        for (; after < target.count && old[after].begin <= range.end; ++after) {
            merged.begin = std::min(merged.begin, old[after].begin);
            merged.end = std::max(merged.end, old[after].end);
        }
        if (after == low) {
            if (target.count == target.capacity) grow(target);
            offset_range* const ranges = pool_.data() + target.at;
            std::copy_backward(ranges + low, ranges + target.count, ranges + target.count + 1);
            ranges[low] = merged;
            ++target.count;
        } else {
            offset_range* const ranges = pool_.data() + target.at;
            ranges[low] = merged;
            std::copy(ranges + after, ranges + target.count, ranges + low + 1);
            target.count -= after - low - 1;
        }
    }

private:
    /// Position and capacity of a set in the pool.
    struct set {
        std::size_t at = 0;
        std::uint32_t count = 0;
        std::uint32_t capacity = 0;
    };

    /// Moves a full set to the end of the pool, with twice the capacity.
    constexpr void grow(set& full) {
        const std::size_t from = full.at;
        full.at = pool_.size();
        full.capacity = full.capacity == 0 ? 2 : full.capacity * 2;
        pool_.resize(pool_.size() + full.capacity, offset_range{});
        std::copy_n(pool_.data() + from, full.count, pool_.data() + full.at);
    }

    trivial_vector<set> sets_;
    trivial_vector<offset_range> pool_;
};

/// The lowest offset of a block above ranges that are visited in ascending order.
class rising_offset {
public:
    /// Begins at the given offset of a block, where any overlap makes it impossible, or at 0.
    constexpr explicit rising_offset(const block& placed) noexcept
        : block_(&placed), offset_(placed.offset == anywhere ? 0 : placed.offset) {
        is_possible_ = placed.bytes <= anywhere - 1 - offset_;
    }

    /// Returns true if the block ends below `range`.
    [[nodiscard]] constexpr bool ends_below(const offset_range& range) const noexcept {
        return offset_ < range.begin && range.begin - offset_ >= block_->bytes;
    }
    /// Rises to the end of a range that the block would overlap.
    constexpr void avoid(const offset_range& range) noexcept {
        if (range.end <= offset_) return;
        if (block_->offset != anywhere) is_possible_ = false;
        offset_ = range.end;
        const std::uint64_t over = block_->alignment > 1 ? offset_ % block_->alignment : 0;
        const std::uint64_t up = over == 0 ? 0 : block_->alignment - over;
        if (up > ~offset_ || block_->bytes > anywhere - 1 - (offset_ + up)) is_possible_ = false;
        offset_ += up;
    }

    [[nodiscard]] constexpr bool is_possible() const noexcept { return is_possible_; }
    [[nodiscard]] constexpr std::uint64_t offset() const noexcept { return offset_; }

private:
    const block* block_;
    std::uint64_t offset_;
    bool is_possible_ = true;
};

}  // namespace hbm::inline v0::pack::detail
