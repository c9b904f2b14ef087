#pragma once
// What the memory of a program is for: sums over its allocations.

#include <cstdint>
#include <map>
#include <span>

#include "compare/read/xla/allocation.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::imported::xla {

/// The memory space of HBM. Other colors are on the chip or, 5, on the host.
inline constexpr std::uint32_t hbm_color = 0;

/// Adds a size to a sum. Sums are 2^64-1 where they would exceed that.
void add_size(rounded_size& sum, const rounded_size& more) noexcept;

/// Sums of allocations in HBM, in bytes, as XLA defines them (xla/pjrt/compiled_memory_stats.cc). An allocation may
/// count in several of them.
struct memory_classes {
    rounded_size argument;    ///< parameters
    rounded_size output;      ///< all that holds outputs: tables of tuples, and parameters that an output takes over
    rounded_size alias;       ///< parameters that an output takes over
    rounded_size temporary;   ///< intermediate results
    rounded_size constant;    ///< constants
    rounded_size per_thread;  ///< in none of the others
    rounded_size peak;        ///< each allocation once, without those per thread; the program's code is not in it
    rounded_size all;         ///< each allocation once, in every memory space
    std::map<std::uint32_t, rounded_size> other_spaces;  ///< by color; without HBM
};

/// The sums over some allocations. O(count x log(memory spaces)).
[[nodiscard]] memory_classes classify(std::span<const allocation> all);

}  // namespace hbm::imported::xla
