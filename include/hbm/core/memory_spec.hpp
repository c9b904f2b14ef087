#pragma once

/// What a manager has to know about a device's memory.

#include <hbm/core/bytes.hpp>

#include <cstdint>

namespace hbm {

/// The most runs that can be in flight.
inline constexpr std::uint32_t most_in_flight = 1000;

/// A device's memory. Bandwidths are in bytes per second; no cost here decides anything but which relief is cheaper.
struct memory_spec {
    const char* name = "custom";
    std::uint64_t capacity = 0;                 ///< usable bytes; rounded down to the quantum
    std::uint64_t quantum = default_quantum;    ///< a power of two
    std::uint64_t bandwidth = 819'000'000'000;  ///< of the memory; a moved byte is read and written
    std::uint64_t host_link = 16'000'000'000;   ///< for reloading programs; no figure per generation is published
    std::uint64_t copy_nanoseconds = 2'000;     ///< fixed cost of one copy; a default of ours
    std::uint64_t top_reserved = 0;             ///< bytes at the top of the capacity that nobody may use
    std::uint32_t scratch_percent = 100;        ///< of the capacity; what a program's scratch exceeds it by is spilled:
                                                ///< written and read once a run
    std::uint32_t runs_in_flight = 0;           ///< how many runs the host may be ahead of the device, no more than
                                                ///< `most_in_flight`; 0: a run is over when the call returns

    /// Modelled nanoseconds to move `bytes` with one copy: 2 x bytes / bandwidth, plus the fixed cost. O(1).
    [[nodiscard]] constexpr std::uint64_t move_nanoseconds(std::uint64_t bytes) const noexcept {
        const std::uint64_t once = transfer(bytes, bandwidth);
        return add_up(copy_nanoseconds, add_up(once, once));
    }
    /// Modelled nanoseconds by which a run takes longer when `bytes` of its scratch are spilled. A model of ours: no
    /// figure is published. O(1).
    [[nodiscard]] constexpr std::uint64_t spill_nanoseconds(std::uint64_t bytes) const noexcept {
        return bytes == 0 ? 0 : move_nanoseconds(bytes);
    }
    /// Modelled nanoseconds to bring `bytes` from the host. O(1).
    [[nodiscard]] constexpr std::uint64_t reload_nanoseconds(std::uint64_t bytes) const noexcept {
        return transfer(bytes, host_link);
    }

    friend constexpr bool operator==(const memory_spec& left, const memory_spec& right) noexcept {
        return left.capacity == right.capacity && left.quantum == right.quantum && left.bandwidth == right.bandwidth &&
               left.host_link == right.host_link && left.copy_nanoseconds == right.copy_nanoseconds &&
               left.top_reserved == right.top_reserved && left.scratch_percent == right.scratch_percent &&
               left.runs_in_flight == right.runs_in_flight;
    }

private:
    /// Whole nanoseconds, rounded down; the largest number where there are more. Split so that no product overflows.
    static constexpr std::uint64_t transfer(std::uint64_t bytes, std::uint64_t bytes_per_second) noexcept {
        const std::uint64_t per_microsecond = bytes_per_second < 1'000'000 ? 1 : bytes_per_second / 1'000'000;
        return add_up(times_up(bytes / per_microsecond, 1000), bytes % per_microsecond * 1000 / per_microsecond);
    }
};

}  // namespace hbm
