#pragma once

/// Memory statistics for a PJRT plugin.

#include <hbm/events/statistics.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

namespace detail {

/// Writes a number of an argument struct if the caller's version of it, `struct_size` bytes long, has the field.
template <class Args, class Field>
[[nodiscard]] bool write_field(Args& args, Field& field, Field value) noexcept {
    const auto end =
        static_cast<std::size_t>(reinterpret_cast<const char*>(&field + 1) - reinterpret_cast<const char*>(&args));
    const bool there = end <= args.struct_size;
    if (there) field = value;
    return there;
}

/// A size as PJRT counts: signed, at most its largest number.
[[nodiscard]] constexpr std::int64_t in_pjrt(std::uint64_t bytes) noexcept {
    return static_cast<std::int64_t>(bytes > INT64_MAX ? std::uint64_t{INT64_MAX} : bytes);
}

}  // namespace detail

/// Fills in the answer of `PJRT_Device_MemoryStats`: `Args` is `PJRT_Device_MemoryStats_Args` of pjrt_c_api.h in
/// openxla/xla, or any struct with its fields.
///
///     PJRT_Error* memory_stats(PJRT_Device_MemoryStats_Args* args) {
///         hbm::fill_memory_statistics(*args, memory.figures());
///         return nullptr;
///     }
///
/// `figures` are those of `addressed`, or of a manager with the observer `statistics`. Each number that may be missing
/// has a flag beside it, which is set; a field beyond the caller's `struct_size` is not touched. O(1).
template <class Args>
void fill_memory_statistics(Args& args, const statistics& figures) noexcept {
    using detail::in_pjrt;
    using detail::write_field;
    static_cast<void>(write_field(args, args.bytes_in_use, in_pjrt(figures.bytes_in_use)));
    const auto fill = [&args](std::int64_t& number, bool& is_set, std::uint64_t value) {
        if (write_field(args, number, in_pjrt(value))) static_cast<void>(write_field(args, is_set, true));
    };
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

}  // namespace hbm
