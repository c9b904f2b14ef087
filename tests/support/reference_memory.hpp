#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::test {

/// A reference model of the shipped placements, which shares no code with them: a sorted list of blocks, and full
/// scans. Any unit. Rules return an offset; the caller puts the block there.
/// Cost: O(blocks) a call.
class reference_memory {
public:
    struct block {
        std::uint64_t offset;
        std::uint64_t size;

        friend bool operator==(const block&, const block&) = default;
    };

    explicit reference_memory(std::uint64_t capacity) : capacity_(capacity) {}

    /// Requires: the range is free.
    void put(std::uint64_t offset, std::uint64_t size) {
        std::size_t place = 0;
        while (place < blocks_.size() && blocks_[place].offset < offset) ++place;
        blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(place), block{offset, size});
    }
    /// Frees the block at `offset`. Returns its size in quanta, or 0 if no block begins there.
    std::uint64_t end(std::uint64_t offset) {
        for (std::size_t i = 0; i < blocks_.size(); ++i) {
            if (blocks_[i].offset != offset) continue;
            const std::uint64_t size = blocks_[i].size;
            blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(i));
            return size;
        }
        return 0;
    }

    /// Returns all maximal free runs, lowest first.
    [[nodiscard]] std::vector<block> holes() const {
        std::vector<block> runs;
        std::uint64_t begin = 0;
        for (const block& live : blocks_) {
            if (live.offset > begin) runs.push_back({begin, live.offset - begin});
            begin = live.offset + live.size;
        }
        if (begin < capacity_) runs.push_back({begin, capacity_ - begin});
        return runs;
    }
    [[nodiscard]] const std::vector<block>& blocks() const noexcept { return blocks_; }

    /// Returns the lowest aligned offset in `hole` that holds `size`.
    [[nodiscard]] static constexpr std::optional<std::uint64_t> low_in(block hole, std::uint64_t size,
                                                                       std::uint64_t alignment) {
        const std::uint64_t beyond = hole.offset % alignment;
        const std::uint64_t skipped = beyond == 0 ? 0 : alignment - beyond;
        if (skipped > hole.size || hole.size - skipped < size) return std::nullopt;
        return hole.offset + skipped;
    }
    /// Returns the highest aligned offset in `hole` that holds `size`.
    [[nodiscard]] static constexpr std::optional<std::uint64_t> high_in(block hole, std::uint64_t size,
                                                                        std::uint64_t alignment) {
        if (!low_in(hole, size, alignment)) return std::nullopt;
        const std::uint64_t latest = hole.offset + (hole.size - size);
        return latest - latest % alignment;
    }
    [[nodiscard]] bool fits(std::uint64_t size, std::uint64_t alignment = 1) const {
        for (const block& hole : holes())
            if (low_in(hole, size, alignment)) return true;
        return false;
    }

    /// Best fit: the low end of the smallest hole that fits; ties go to the lowest.
    [[nodiscard]] std::optional<std::uint64_t> best_fit(std::uint64_t size, std::uint64_t alignment = 1) const {
        std::optional<block> best;
        for (const block& hole : holes())
            if (low_in(hole, size, alignment) && (!best || hole.size < best->size)) best = hole;
        return best ? low_in(*best, size, alignment) : std::nullopt;
    }
    [[nodiscard]] std::optional<std::uint64_t> first_fit(std::uint64_t size, std::uint64_t alignment = 1) const {
        for (const block& hole : holes())
            if (const auto offset = low_in(hole, size, alignment)) return offset;
        return std::nullopt;
    }
    /// Returns the offset of a block at the high end of the smallest hole that fits, of equal holes the highest. The
    /// quanta below `reserved` are reserved; the hole directly above them is used only if no other fits.
    [[nodiscard]] std::optional<std::uint64_t> best_fit_from_top(std::uint64_t size, std::uint64_t reserved,
                                                                 std::uint64_t alignment = 1) const {
        std::optional<block> best;
        for (const block& hole : holes())
            if (hole.offset != reserved && low_in(hole, size, alignment) && (!best || hole.size <= best->size))
                best = hole;
        if (best) return high_in(*best, size, alignment);
        for (const block& hole : holes())
            if (hole.offset == reserved) return high_in(hole, size, alignment);
        return std::nullopt;
    }

    /// BFC: best fit, but the block takes the hole above the alignment gap, unless that is at least twice the request
    /// or 2^19 units longer.
    [[nodiscard]] std::optional<block> bfc(std::uint64_t size, std::uint64_t alignment = 1) const {
        const auto offset = best_fit(size, alignment);
        if (!offset) return std::nullopt;
        for (const block& hole : holes()) {
            const std::uint64_t available = hole.offset + hole.size - *offset;
            if (*offset < hole.offset || *offset >= hole.offset + hole.size) continue;
            const bool split = available >= 2 * size || available >= size + 524'288;
            return block{*offset, split ? size : available};
        }
        return std::nullopt;
    }

    [[nodiscard]] static constexpr std::uint64_t buddy_size(std::uint64_t size) noexcept {
        std::uint64_t power = 1;
        while (power < size) power *= 2;
        return power;
    }
    /// Buddy: the low end of the smallest sufficient free block; ties go to the lowest.
    /// Free blocks are the largest aligned powers of two that are free. Put `buddy_size(size)` there.
    /// Cost: O(capacity x blocks), for small arenas.
    [[nodiscard]] std::optional<std::uint64_t> buddy(std::uint64_t size) const {
        for (std::uint64_t order = buddy_size(size); order <= capacity_; order *= 2) {
            for (std::uint64_t offset = 0; offset <= capacity_ - order; offset += order) {
                const std::uint64_t parent = offset - offset % (2 * order);
                if (is_free(offset, order) && !is_free(parent, 2 * order)) return offset;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] bool is_free(std::uint64_t offset, std::uint64_t size) const {
        if (offset > capacity_ || size > capacity_ - offset) return false;
        for (const block& live : blocks_)
            if (live.offset < offset + size && offset < live.offset + live.size) return false;
        return true;
    }

private:
    std::vector<block> blocks_;  // by offset
    std::uint64_t capacity_;
};

}  // namespace hbm::test
