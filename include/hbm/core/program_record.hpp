#pragma once

#include <hbm/core/handle.hpp>

#include <cstdint>

namespace hbm::inline v0 {

/// A loaded, evicted or unloaded program. Sizes are in bytes, rounded up to the quantum.
struct program_record {
    std::uint64_t code = 0;                ///< code and constants
    std::uint64_t scratch = 0;             ///< reserved while the program is resident
    std::uint64_t spilled = 0;             ///< scratch beyond the limit of the spec, spilled in every run
    std::uint64_t reload_nanoseconds = 0;  ///< cost of a reload
    std::uint64_t last_use = 0;  ///< time of the latest load or run; every load or run of any program is a tick
    std::uint64_t uses = 0;      ///< loads and runs so far
    std::uint64_t credit = 0;    ///< value of the eviction policy, updated at every load and run
    block_index code_block = no_block;
    block_index scratch_block = no_block;  ///< `no_block` if the placement can reserve
    std::uint32_t generation = 0;          ///< odd while the handle is valid
    std::uint32_t evicted_for = no_index;  ///< slot of the program that it was last evicted for; none for a buffer
    std::uint32_t mutual_evictions = 0;    ///< consecutive times that it and `evicted_for` evicted each other
    tag label = tag::none;
    bool resident = false;  ///< in memory, neither evicted nor unloaded
    bool unloaded = false;  ///< unloaded by the user; loading it again does not count as a reload

    friend constexpr bool operator==(const program_record&, const program_record&) = default;
};

/// The record of a program that does not exist.
inline constexpr program_record no_program{};

}  // namespace hbm::inline v0
