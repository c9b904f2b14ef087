#pragma once
// Memory statistics for a PJRT plugin. To paste. Not compiled against PJRT.
#include <hbm/events/statistics.hpp>

#include <cstddef>
#include <cstdint>

namespace adapters {

/// Fills in the answer of `PJRT_Device_MemoryStats`. `Args` is `PJRT_Device_MemoryStats_Args` of pjrt_c_api.h in
/// openxla/xla. `figures` are those of `hbm::addressed`, or of a manager with the observer `hbm::statistics`:
///
///     PJRT_Error* memory_stats(PJRT_Device_MemoryStats_Args* args) {
///         adapters::fill_memory_statistics(*args, memory.figures());
///         return nullptr;
///     }
///
/// Fields beyond the caller's `struct_size` stay as they are.
template <class Args>
void fill_memory_statistics(Args& args, const hbm::statistics& figures) {
    const auto write = [&args](auto& field, auto value) {
        const auto end = reinterpret_cast<const char*>(&field + 1) - reinterpret_cast<const char*>(&args);
        const bool there = static_cast<std::size_t>(end) <= args.struct_size;
        if (there) field = value;
        return there;
    };
    const auto fill = [&](std::int64_t& number, bool& is_set, std::uint64_t bytes) {
        if (write(number, bytes > INT64_MAX ? INT64_MAX : static_cast<std::int64_t>(bytes))) write(is_set, true);
    };
    write(args.bytes_in_use, static_cast<std::int64_t>(figures.bytes_in_use));
    fill(args.peak_bytes_in_use, args.peak_bytes_in_use_is_set, figures.peak_bytes_in_use);
    fill(args.num_allocs, args.num_allocs_is_set, figures.num_allocs);
    fill(args.largest_alloc_size, args.largest_alloc_size_is_set, figures.largest_alloc_size);
    fill(args.bytes_limit, args.bytes_limit_is_set, figures.bytes_limit);
    fill(args.bytes_reserved, args.bytes_reserved_is_set, figures.bytes_reserved);
    fill(args.peak_bytes_reserved, args.peak_bytes_reserved_is_set, figures.peak_bytes_reserved);
    fill(args.bytes_reservable_limit, args.bytes_reservable_limit_is_set, figures.bytes_reservable_limit);
    fill(args.largest_free_block_bytes, args.largest_free_block_bytes_is_set, figures.largest_free_block_bytes);
    fill(args.pool_bytes, args.pool_bytes_is_set, figures.pool_bytes);
    fill(args.peak_pool_bytes, args.peak_pool_bytes_is_set, figures.peak_pool_bytes);
}

}  // namespace adapters
