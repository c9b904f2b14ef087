#pragma once

/// Placement after the published rules of PyTorch's caching allocator (pytorch/pytorch,
/// c10/cuda/CUDACachingAllocator.cpp), as a baseline for programs that run under it.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/fixed_string.hpp>
#include <hbm/core/request.hpp>
#include <hbm/placement/placement.hpp>

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

#include "compare/managers/manager_entry.hpp"

namespace hbm::compare {

/// Blocks in segments, with quanta of 512 bytes. A block of up to 1 MiB comes from the small pool, in segments of 2
/// MiB. Other blocks come from the large pool: in segments of 20 MiB if they are below 10 MiB, else in a segment of
/// their size rounded to 2 MiB. The smallest free block of the pool that fits is taken, ties to the lowest address. It
/// is split if 512 bytes remain, in the large pool over 1 MiB. Free blocks merge within their segment, and stay
/// reserved. If a segment does not fit, all free segments are returned to the device, and it is tried again.
///
/// Assumptions: one stream; segments lie at the lowest addresses of the device that have room, while a driver can join
/// pages from anywhere.
class torch_caching {
public:
    using quanta = std::uint64_t;

    static constexpr auto name = fixed_string{"torch_caching"};
    static constexpr bool merges_neighbours = false;
    static constexpr bool may_give_more = true;
    /// 2^63 bytes.
    static constexpr quanta unlimited = quanta{1} << 54U;

    torch_caching() : torch_caching(0) {}
    explicit torch_caching(quanta capacity);

    [[nodiscard]] block_map<quanta>& map() noexcept { return map_; }
    [[nodiscard]] const block_map<quanta>& map() const noexcept { return map_; }

    /// Places a block, or returns `no_block` without effect on live blocks.
    /// Cost: O(log(blocks)), O(segments) if a segment is added.
    block_index place(const need<quanta>& n);
    void release(block_index block);
    /// Places memory that was not allocated here, as a segment of its own.
    block_index occupy(basic_extent<quanta> range);

    [[nodiscard]] need<quanta> requirement(const need<quanta>& n) const noexcept { return n; }
    /// Returns the longest free block or unreserved range.
    /// Cost: O(unreserved ranges).
    [[nodiscard]] quanta largest_free() const noexcept;
    /// Returns the quanta of all segments.
    [[nodiscard]] quanta reserved() const noexcept { return reserved_; }

    friend constexpr bool operator==(const torch_caching& a, const torch_caching& b) noexcept {
        return a.map_ == b.map_ && a.segments_ == b.segments_;
    }

private:
    enum class pool : std::uint8_t { small, large, imported };

    struct segment {
        quanta end = 0;
        pool source = pool::large;

        friend bool operator==(const segment&, const segment&) = default;
    };
    using segment_place = std::map<quanta, segment>::iterator;

    /// Free block of a segment, in the order of the search.
    struct free_block {
        pool source = pool::large;
        quanta size = 0;
        quanta offset = 0;
        block_index block = no_block;

        friend auto operator<=>(const free_block&, const free_block&) = default;
    };

    [[nodiscard]] segment_place segment_of(quanta offset);
    [[nodiscard]] free_block listed(block_index hole, pool source) const;

    /// Takes the best free block out of the list; `no_block` if none fits.
    block_index take_free(const need<quanta>& n, pool source);
    /// Adds memory to a pool, and returns a free block for the request that is not listed; `no_block` without room.
    block_index grow(const need<quanta>& n, pool source);
    block_index add_segment(quanta size, pool source);
    /// Returns all free segments to the device.
    void return_free();
    void return_range(block_index hole, segment_place from);

    /// Cuts a range out of an unreserved one, and returns its hole.
    block_index carve(block_index gap, basic_extent<quanta> range);
    /// Merges a hole with the holes next to it in its segment.
    block_index merged(block_index hole, segment_place within);

    block_map<quanta> map_;
    std::map<quanta, segment> segments_;  // by offset
    std::map<quanta, block_index> gaps_;  // unreserved ranges by offset; no two of them touch
    std::set<free_block> free_;
    quanta reserved_ = 0;
};

static_assert(placement<torch_caching>);

/// What it models, in words.
inline constexpr std::string_view modelled_system = "PyTorch's caching allocator on GPUs";

/// Returns the manager under it, which is compared and never recommended. It rounds to 512 bytes whatever the quantum
/// of a comparison, and its highest end is what it reserves.
[[nodiscard]] manager_entry torch_caching_entry();

}  // namespace hbm::compare
