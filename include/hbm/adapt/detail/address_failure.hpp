#pragma once

#include <hbm/adapt/address_range.hpp>
#include <hbm/blocks/live_blocks.hpp>
#include <hbm/core/result.hpp>

#include <cstdint>

namespace hbm::inline v0 {

enum class address_error : std::uint8_t {
    none,
    call_failed,             ///< the call of the manager failed, see `reason`
    null_pointer,            ///< the pointer is null
    outside,                 ///< the address is not in this memory
    inside_a_buffer,         ///< the address is in a live buffer, but not its first
    not_live,                ///< no live buffer is there: it was freed, or never allocated
    no_power_of_two,         ///< the alignment is not a power of two
    base_is_aligned_to_less  ///< the base of this memory is not a multiple of the alignment
};

/// The failure of a call with addresses: that of the manager, or an error of the address. Sizes in bytes.
/// `in_words` of address_words.hpp prints it; `explain` accepts it as a failure of the manager.
struct address_failure : failure {
    address_error what = address_error::none;
    std::uintptr_t address = 0;           ///< address passed to the call
    std::uintptr_t begin = 0;             ///< first address of the live buffer that has the address, else of the memory
    std::uint64_t size = 0;               ///< size of that buffer, else of the memory
    std::uint64_t largest_alignment = 0;  ///< largest power of two that divides the base of the memory

    friend constexpr bool operator==(const address_failure&, const address_failure&) = default;
};

template <class T>
using address_result = basic_result<T, address_failure>;

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
