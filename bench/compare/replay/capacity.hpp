#pragma once
// How much memory a workload needs.

#include <algorithm>
#include <cstdint>
#include <optional>

#include "compare/replay/figures.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// `bytes` rounded up to `quantum`, at least one quantum; the largest number when that would overflow.
[[nodiscard]] std::uint64_t granted(std::uint64_t bytes, std::uint64_t quantum) noexcept;

/// A lower bound in bytes of the capacity that `trace` needs under any manager: the peak of live bytes if every
/// donation is taken and only the running program is in memory, and no less than where an imported range ends. Equals
/// the peak live bytes for a trace without programs and imports. O(rows).
[[nodiscard]] std::uint64_t min_bytes(const workload& trace, std::uint64_t quantum);

/// A minimum capacity in bytes, and how it was found.
struct minimum {
    std::uint64_t bytes = 0;
    search how = search::bisection;
    std::optional<std::uint64_t> larger_fails = {};  ///< a larger capacity that was tried and does not complete
};

/// The capacity to try after `failed` bytes were too little: a 1,024th of `lower` more until it is a 16th above
/// `lower`, a 256th more until it is a quarter above, from there on an eighth more. Below `upper`, a multiple of
/// `quantum`.
[[nodiscard]] std::uint64_t next_capacity(std::uint64_t failed, std::uint64_t lower, std::uint64_t upper,
                                          std::uint64_t quantum) noexcept;

/// A capacity for which `completes(capacity)` is true; empty if none was found up to `upper`. A workload may complete
/// at a capacity and fail at a larger capacity, so the search climbs from `lower` in small steps (`next_capacity`) to
/// the first that completes. Then all smaller capacities are tried, if there are at most `affordable`, and a larger
/// one; otherwise bisection below the first that completed finds a capacity that does, while a quantum less fails. All
/// in bytes; `lower` is a multiple of `quantum`.
template <class Completes>
[[nodiscard]] std::optional<minimum> min_capacity(std::uint64_t lower, std::uint64_t upper, std::uint64_t quantum,
                                                  std::uint64_t affordable, Completes completes) {
    lower = std::max(lower, quantum);
    if (lower > upper) return std::nullopt;
    if (completes(lower)) return minimum{lower, search::exhaustive};
    std::uint64_t fails = lower;
    std::uint64_t good = lower;
    do {
        if (good == upper) return std::nullopt;
        fails = good;
        good = next_capacity(fails, lower, upper, quantum);
    } while (!completes(good));
    if ((good - lower) / quantum <= affordable) {
        std::uint64_t least = lower + quantum;
        while (least < good && !completes(least)) least += quantum;
        minimum found{least, search::exhaustive};
        if (least < fails)
            found.larger_fails = fails;
        else if (least + quantum != good && least < upper && !completes(least + quantum))
            found.larger_fails = least + quantum;
        return found;
    }
    while (good - fails > quantum) {
        const std::uint64_t middle = fails + (good - fails) / quantum / 2 * quantum;
        (completes(middle) ? good : fails) = middle;
    }
    return minimum{good, search::bisection};
}

}  // namespace hbm::trace
