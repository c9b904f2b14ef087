#pragma once

#include <hbm/adapt/address_range.hpp>
#include <hbm/adapt/detail/address_failure.hpp>
#include <hbm/blocks/live_blocks.hpp>

#include <cstdint>

namespace hbm::inline v0 {

[[nodiscard]] inline address_failure failure_in(const address_range& memory, const failure& why) {
    address_failure result{};
    static_cast<failure&>(result) = why;
    result.begin = memory.begin_address();
    result.size = memory.bytes;
    result.largest_alignment = memory.alignment();
    return result;
}

/// Returns the failure of an address at which no live buffer of the manager begins.
/// Offsets count from the beginning of `memory`.
template <class Manager>
[[nodiscard, gnu::cold]] address_failure failure_at(const Manager& manager, const address_range& memory,
                                                    const void* given) {
    address_failure result = failure_in(memory, {.reason = error::foreign_handle});
    result.address = reinterpret_cast<std::uintptr_t>(given);
    const std::uint64_t offset = std::uint64_t{result.address} - memory.begin_address();
    result.what = given == nullptr ? address_error::null_pointer : address_error::outside;
    if (given == nullptr || offset >= manager.capacity_bytes()) return result;
    result.what = address_error::not_live;
    result.reason = error::stale_handle;
    for (const block_view& block : manager.blocks()) {
        if (block.kind != block_kind::data || offset < block.where.offset || offset >= block.where.end()) continue;
        result.what = address_error::inside_a_buffer;
        result.reason = error::wrong_kind;
        result.begin += static_cast<std::uintptr_t>(block.where.offset);
        result.size = block.granted;
        result.label = static_cast<tag>(block.owner);
    }
    return result;
}

}  // namespace hbm::inline v0
