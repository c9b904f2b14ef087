#pragma once

#include <hbm/core/language.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// The counts of a manager so far. Bytes and modelled nanoseconds.
struct totals {
    std::uint64_t relieved = 0;  ///< calls that succeeded only through relief
    std::uint64_t evictions = 0;
    std::uint64_t evicted_bytes = 0;  ///< code and constants
    std::uint64_t thrashing = 0;      ///< evictions within a pair of programs that evict each other repeatedly
    std::uint64_t reloads = 0;        ///< reloads of evicted programs
    std::uint64_t reload_nanoseconds = 0;
    std::uint64_t moves = 0;        ///< moves that have arrived
    std::uint64_t copies = 0;       ///< copies of moves; more than `moves` if moves overlap themselves
    std::uint64_t moved_bytes = 0;  ///< bytes that have arrived
    std::uint64_t move_nanoseconds = 0;
    std::uint64_t waits = 0;  ///< waits for runs in flight: a request did not fit, or too many were in flight
    std::uint64_t wait_nanoseconds = 0;
    std::uint64_t spilled_runs = 0;  ///< runs of programs whose scratch exceeds the limit
    std::uint64_t spill_nanoseconds = 0;
    std::uint64_t donations_offered = 0;
    std::uint64_t donations_kept = 0;  ///< offered, but kept by the call
    std::uint64_t donations_taken = 0;
    std::uint64_t donated_bytes = 0;  ///< bytes of the outputs that took over an input

    friend constexpr bool operator==(const totals&, const totals&) = default;
};

}  // namespace hbm::inline v0
