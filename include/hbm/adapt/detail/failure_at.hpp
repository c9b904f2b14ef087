#pragma once

#include <hbm/adapt/address_range.hpp>
#include <hbm/adapt/detail/address_failure.hpp>
#include <hbm/blocks/live_blocks.hpp>

#include <cstdint>

namespace hbm {

/// Returns a failure with the addresses of the memory.
[[nodiscard]] inline address_failure failure_in(const address_range& memory, const failure& why) {
    address_failure found{};
    static_cast<failure&>(found) = why;
    found.begin = memory.begin_address();
    found.size = memory.bytes;
    found.largest_alignment = memory.alignment();
    return found;
}

/// Returns the failure of an address at which no live buffer of the manager begins.
/// Offsets count from the beginning of `memory`.
/// Cost: O(blocks).
template <class Manager>
[[nodiscard, gnu::cold]] address_failure failure_at(const Manager& manager, const address_range& memory,
                                                    const void* given) {
    address_failure found = failure_in(memory, {.reason = error::foreign_handle});
    found.address = reinterpret_cast<std::uintptr_t>(given);
    const std::uint64_t offset = std::uint64_t{found.address} - memory.begin_address();
    found.what = given == nullptr ? address_error::null_pointer : address_error::outside;
    if (given == nullptr || offset >= manager.capacity_bytes()) return found;
    found.what = address_error::not_live;
    found.reason = error::stale_handle;
    for (const block_view& each : manager.blocks()) {
        if (each.kind != block_kind::data || offset < each.where.offset || offset >= each.where.end()) continue;
        found.what = address_error::inside_a_buffer;
        found.reason = error::wrong_kind;
        found.begin += static_cast<std::uintptr_t>(each.where.offset);
        found.size = each.granted;
        found.label = static_cast<tag>(each.owner);
    }
    return found;
}

}  // namespace hbm
