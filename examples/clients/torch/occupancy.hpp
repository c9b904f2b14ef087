#pragma once

/// What the figures of a run are read from.

#include <hbm/events/events.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

/// An observer that knows which pages were ever part of a block: what the system had to back with memory. Works for
/// placements that use both ends of memory, too, where the highest end says nothing.
struct occupancy {
    static constexpr hbm::fixed_string name{"occupancy"};
    static constexpr std::uint64_t page = 4096;

    std::uint64_t allocations = 0;
    std::uint64_t peak = 0;          ///< the most live bytes at a time
    std::uint64_t footprint = 0;     ///< bytes of pages that were ever part of a block
    std::uint64_t held_at_peak = 0;  ///< the footprint when the live bytes peaked

    /// Of the memory held when the live bytes peaked, the part that no block occupied.
    [[nodiscard]] double fragmentation_at_peak() const noexcept {
        return held_at_peak == 0 ? 0 : 1 - static_cast<double>(peak) / static_cast<double>(held_at_peak);
    }

    template <class Memory>
    void on(const hbm::event& happened, const Memory& memory) {
        if (happened.what != hbm::event_kind::allocated) return;
        ++allocations;
        const std::uint64_t last = (happened.where.offset + happened.where.size - 1) / page;
        if (last >= touched.size()) touched.resize(static_cast<std::size_t>(last + 1));
        for (std::uint64_t at = happened.where.offset / page; at <= last; ++at) {
            if (touched[static_cast<std::size_t>(at)]) continue;
            touched[static_cast<std::size_t>(at)] = true;
            footprint += page;
        }
        if (memory.live_bytes() <= peak) return;
        peak = memory.live_bytes();
        held_at_peak = footprint;
    }

    friend bool operator==(const occupancy&, const occupancy&) = default;

    std::vector<bool> touched;  ///< by page
};
