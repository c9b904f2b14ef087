#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>

namespace hbm::inline v0 {

/// An observer with the accelerator's memory statistics under the keys of `device.memory_stats()`; 0 before
/// construction. All except `num_allocs` are bytes. Assumptions for keys without public definition: in use and reserved
/// do not overlap; the reservable limit is the largest reservation without relief; the pool is the managed memory.
struct statistics {
    static constexpr fixed_string name{"statistics"};

    std::uint64_t num_allocs = 0;    ///< allocations so far: buffers, fresh outputs, loads
    std::uint64_t bytes_in_use = 0;  ///< live bytes outside the reservation
    std::uint64_t peak_bytes_in_use = 0;
    std::uint64_t largest_alloc_size = 0;
    std::uint64_t bytes_limit = 0;     ///< capacity less the reserve at the top
    std::uint64_t bytes_reserved = 0;  ///< scratch at the bottom
    std::uint64_t peak_bytes_reserved = 0;
    std::uint64_t bytes_reservable_limit = 0;  ///< reserved + reservable
    std::uint64_t largest_free_block_bytes = 0;
    std::uint64_t pool_bytes = 0;
    std::uint64_t peak_pool_bytes = 0;

    /// Cost: that of the manager's `largest_free_bytes`.
    template <class Memory>
    constexpr void on(const event& e, const Memory& memory) {
        if (e.what == event_kind::allocated || e.what == event_kind::loaded || e.what == event_kind::reloaded) {
            ++num_allocs;
            if (e.where.size > largest_alloc_size) largest_alloc_size = e.where.size;
        }
        look_at(memory);
    }

    template <class Memory>
    constexpr void look_at(const Memory& memory) {
        bytes_reserved = memory.reserved_bytes();
        bytes_in_use = memory.live_bytes() - bytes_reserved;
        if (bytes_in_use > peak_bytes_in_use) peak_bytes_in_use = bytes_in_use;
        if (bytes_reserved > peak_bytes_reserved) peak_bytes_reserved = bytes_reserved;
        bytes_limit = memory.capacity_bytes();
        bytes_reservable_limit = bytes_reserved + memory.reservable_bytes();
        largest_free_block_bytes = memory.largest_free_bytes();
        pool_bytes = peak_pool_bytes = bytes_limit;
    }

    friend constexpr bool operator==(const statistics&, const statistics&) = default;
};

static_assert(observer<statistics>);

struct event_log {
    static constexpr fixed_string name{"event_log"};

    trivial_vector<event> events;

    /// Cost: O(1) amortised; may allocate on the host.
    constexpr void on(const event& e) { events.push_back(e); }

    friend constexpr bool operator==(const event_log&, const event_log&) = default;
};

static_assert(observer<event_log> && hears_events<event_log>);

}  // namespace hbm::inline v0
