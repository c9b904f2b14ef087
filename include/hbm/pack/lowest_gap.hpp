#pragma once

#include <hbm/pack/block.hpp>
#include <hbm/pack/range_sets.hpp>

#include <cstdint>

namespace hbm::inline v0::pack {

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

}  // namespace hbm::inline v0::pack
