#pragma once

#include <hbm/core/bytes.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// The largest number of runs that can be in flight.
inline constexpr std::uint32_t max_in_flight = 1000;

/// The memory of a device. Bandwidths are in bytes per second. Costs only decide which kind of relief is cheaper.
struct memory_spec {
    const char* name = "custom";                ///< not copied: must outlive the manager; null is allowed
    std::uint64_t capacity = 0;                 ///< usable bytes; rounded down to the quantum
    std::uint64_t quantum = default_quantum;    ///< a power of two
    std::uint64_t bandwidth = 819'000'000'000;  ///< memory bandwidth; moving a byte counts twice, as a read and a write
    std::uint64_t host_link = 16'000'000'000;   ///< host bandwidth for reloading programs; an assumption
    std::uint64_t copy_nanoseconds = 2'000;     ///< fixed cost of a copy; an assumption
    std::uint64_t top_reserved = 0;             ///< bytes at the top of the capacity that the manager does not use
    std::uint32_t scratch_percent = 100;  ///< the most scratch of a program, in percent of the capacity; the rest is
                                          ///< spilled: written and read once a run
    /// Runs that may be in flight when a call returns, at most `max_in_flight`. 0: a run is over when its call returns.
    /// With 1, a run waits for the one before it; to enqueue a run while another executes takes 2. See `awaited_fence`.
    std::uint32_t runs_in_flight = 0;
    std::uint64_t bounce = 0;  ///< size of the bounce region, at the start of `top_reserved`; moves whose source and
                               ///< target overlap may be copied through it

    [[nodiscard]] constexpr std::uint64_t bounce_offset() const noexcept { return capacity - top_reserved; }

    /// Modelled nanoseconds to move `bytes` with one copy: 2 x bytes / bandwidth, plus the fixed cost.
    [[nodiscard]] constexpr std::uint64_t move_nanoseconds(std::uint64_t bytes) const noexcept {
        return copying_nanoseconds(1, bytes);
    }
    /// Modelled nanoseconds to move `bytes` by `distance`. Copies cannot overlap: a distance below `bytes` takes a copy
    /// per piece of `distance` bytes or, if cheaper, two per piece of the bounce region's size.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr std::uint64_t
    move_nanoseconds(std::uint64_t bytes, std::uint64_t distance) const noexcept {
        if (distance == 0) return 0;
        const std::uint64_t direct = copying_nanoseconds(copies_of(bytes, distance), bytes);
        return bounces(bytes, distance) ? saturating_add(direct, copying_nanoseconds(0, bytes)) : direct;
    }
    /// Number of copies to move `bytes` by `distance`: 0 for distance 0, and 1 unless source and target overlap.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr std::uint64_t copies_of(std::uint64_t bytes,
                                                                              std::uint64_t distance) const noexcept {
        if (bounces(bytes, distance)) return 2 * pieces(bytes, bounce);
        return distance == 0 ? 0 : distance >= bytes ? 1 : pieces(bytes, distance);
    }
    /// Returns true if copying through the bounce region is the cheapest way to move `bytes` by `distance`.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr bool bounces(std::uint64_t bytes,
                                                                   std::uint64_t distance) const noexcept {
        if (bounce <= distance || distance >= bytes || distance == 0) return false;
        // Through the bounce region each byte is copied twice, but in longer pieces. That pays where the distance is
        // short, for then direct copies are many and each has a fixed cost.
        return saturating_add(copying_nanoseconds(2 * pieces(bytes, bounce), bytes), copying_nanoseconds(0, bytes)) <
               copying_nanoseconds(pieces(bytes, distance), bytes);
    }
    /// Modelled nanoseconds of `copies` copies of `bytes` in total, saturating.
    [[nodiscard, gnu::cold, gnu::noinline]] constexpr std::uint64_t
    copying_nanoseconds(std::uint64_t copies, std::uint64_t bytes) const noexcept {
        const std::uint64_t one_way = transfer(bytes, bandwidth);
        return saturating_add(saturating_multiply(copies, copy_nanoseconds), saturating_add(one_way, one_way));
    }
    /// Modelled nanoseconds that spilling `bytes` of scratch adds to a run. An assumption: no figure is published.
    [[nodiscard]] constexpr std::uint64_t spill_nanoseconds(std::uint64_t bytes) const noexcept {
        return bytes == 0 ? 0 : move_nanoseconds(bytes);
    }
    /// Modelled nanoseconds to copy `bytes` from the host.
    [[nodiscard]] constexpr std::uint64_t reload_nanoseconds(std::uint64_t bytes) const noexcept {
        return transfer(bytes, host_link);
    }

    friend constexpr bool operator==(const memory_spec& left, const memory_spec& right) noexcept {
        return left.capacity == right.capacity && left.quantum == right.quantum && left.bandwidth == right.bandwidth &&
               left.host_link == right.host_link && left.copy_nanoseconds == right.copy_nanoseconds &&
               left.top_reserved == right.top_reserved && left.scratch_percent == right.scratch_percent &&
               left.runs_in_flight == right.runs_in_flight && left.bounce == right.bounce;
    }

private:
    static constexpr std::uint64_t pieces(std::uint64_t bytes, std::uint64_t size) noexcept {
        return bytes / size + (bytes % size != 0);
    }
    /// Nanoseconds to transfer `bytes`, rounded down and saturating. Divides first from 2^54 bytes on.
    [[gnu::noinline]] static constexpr std::uint64_t transfer(std::uint64_t bytes,
                                                              std::uint64_t bytes_per_second) noexcept {
        const std::uint64_t per_microsecond = bytes_per_second < 1'000'000 ? 1 : bytes_per_second / 1'000'000;
        // Small sizes are multiplied first, which rounds once. From 2^54 bytes on the product would exceed 64 bits, so
        // whole microseconds and the rest are converted apart.
        if (bytes < std::uint64_t{1} << 54) return bytes * 1000 / per_microsecond;
        return saturating_add(saturating_multiply(bytes / per_microsecond, 1000),
                              bytes % per_microsecond * 1000 / per_microsecond);
    }
};

}  // namespace hbm::inline v0
