#pragma once

/// What is known about a program: what eviction policies judge by.

#include <hbm/core/handle.hpp>

#include <cstdint>

namespace hbm {

/// A loaded, evicted or unloaded program. Sizes in bytes, rounded up to the quantum.
struct program_record {
    std::uint64_t code = 0;                ///< code and constants
    std::uint64_t scratch = 0;             ///< reserved while it is in memory
    std::uint64_t spilled = 0;             ///< scratch it would like and must do without, at a price in every run
    std::uint64_t reload_nanoseconds = 0;  ///< what it costs to bring it back
    std::uint64_t last_use = 0;            ///< the manager's clock, one tick a load or run, at its latest load or run
    std::uint64_t uses = 0;                ///< loads and runs so far
    std::uint64_t credit = 0;              ///< the eviction policy's own word, renewed at every use
    block_index code_block = no_block;
    block_index scratch_block = no_block;  ///< under placements that cannot reserve
    std::uint32_t generation = 0;          ///< odd while the handle is good
    std::uint32_t evicted_for = no_index;  ///< slot of the program for which it was evicted last; none for a buffer
    std::uint32_t mutual_evictions = 0;    ///< how many evictions in a row the two were each other's victims
    tag label = tag::none;
    bool resident = false;  ///< in memory, as opposed to evicted or unloaded
    bool unloaded = false;  ///< by its user, who may bring it back: that is no reload

    friend constexpr bool operator==(const program_record&, const program_record&) = default;
};

/// What is known of a program that is not there.
inline constexpr program_record no_program{};

}  // namespace hbm
