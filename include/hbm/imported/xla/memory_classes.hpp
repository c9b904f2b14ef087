#pragma once
// What the memory of a program is for: sums over its allocations.

#include <hbm/core/bytes.hpp>
#include <hbm/imported/rounded_size.hpp>
#include <hbm/imported/xla/allocation.hpp>

#include <cstdint>
#include <map>
#include <span>

namespace hbm::imported::xla {

/// The memory space of HBM. Other colors are on the chip or, 5, on the host.
inline constexpr std::uint32_t hbm_color = 0;

/// Adds a size to a sum. Sums are 2^64-1 where they would exceed that.
inline void add_size(rounded_size& sum, const rounded_size& more) noexcept {
    sum.bytes = saturating_add(sum.bytes, more.bytes);
    sum.low = saturating_add(sum.low, more.low);
    sum.high = saturating_add(sum.high, more.high);
}

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
[[nodiscard]] inline memory_classes classify(std::span<const allocation> all) {
    memory_classes sums;
    for (const allocation& each : all) {
        add_size(sums.all, each.size);
        if (each.color != hbm_color) {
            add_size(sums.other_spaces[each.color], each.size);
            continue;
        }
        if (each.is_per_thread) {
            add_size(sums.per_thread, each.size);
            continue;
        }
        add_size(sums.peak, each.size);
        if (each.parameter) add_size(sums.argument, each.size);
        if (each.is_live_out) add_size(sums.output, each.size);
        if (each.parameter && each.is_live_out) add_size(sums.alias, each.size);
        if (each.is_temporary) add_size(sums.temporary, each.size);
        if (each.is_constant) add_size(sums.constant, each.size);
    }
    return sums;
}

}  // namespace hbm::imported::xla
