#pragma once

/// The lowest offset of a block above ranges that are looked at one after the other.

#include <hbm/pack/block.hpp>
#include <hbm/pack/range_sets.hpp>

#include <cstdint>

namespace hbm::pack {

/// An offset that rises until nothing that it was shown is in the way.
class rising_offset {
public:
    /// A block with a given offset cannot rise: what is in its way makes it impossible.
    constexpr explicit rising_offset(const block& each) noexcept
        : block_(&each), offset_(each.offset == anywhere ? 0 : each.offset) {
        is_possible_ = each.bytes <= anywhere - 1 - offset_;
    }

    /// Whether the block and what lies above it end below `range`.
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

}  // namespace hbm::pack
