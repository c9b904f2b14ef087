#pragma once
// Memory needs of a workload.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "compare/replay/figures.hpp"
#include "compare/replay/workload.hpp"

namespace hbm::trace {

/// Returns `bytes` rounded up to `quantum`, at least one quantum; saturates on overflow.
[[nodiscard]] std::uint64_t granted(std::uint64_t bytes, std::uint64_t quantum) noexcept;

/// Returns a lower bound in bytes of the capacity that `trace` needs under any manager. It is the peak of live bytes if
/// every donation is taken and only the running program is in memory. It is no less than the end of an imported range.
/// For a trace without programs and imports, it equals the peak of live bytes.
/// Cost: O(rows).
[[nodiscard]] std::uint64_t min_bytes(const workload& trace, std::uint64_t quantum);

/// Returns the peak of live bytes in `trace`, with the running program: `min_bytes` without the ends of imported
/// ranges. Cost: O(rows).
[[nodiscard]] std::uint64_t peak_live_bytes(const workload& trace, std::uint64_t quantum);

/// Limit on the bytes of a trace at once: 4 PiB, more than any device has. Below it, sums of all rows stay exact.
inline constexpr std::uint64_t most_bytes_at_once = std::uint64_t{1} << 52U;

/// Returns the first row with which buffers and programs exceed `most` bytes without evictions or donations. Also finds
/// an import whose range ends beyond it.
/// Cost: O(rows).
[[nodiscard]] std::optional<std::size_t> find_row_beyond(const workload& trace, std::uint64_t most);

/// Minimum capacity in bytes, and the search that found it.
struct minimum {
    std::uint64_t bytes = 0;
    search how = search::bisection;
    std::optional<std::uint64_t> larger_fails = {};  ///< larger capacity that was tried and does not complete
};

/// Returns the capacity to try after `failed` bytes were too little. Steps are a 1,024th of `lower` until it is a 16th
/// above `lower`, then a 256th until it is a quarter above, then an eighth. The result is below `upper`, and a multiple
/// of `quantum`.
[[nodiscard]] std::uint64_t next_capacity(std::uint64_t failed, std::uint64_t lower, std::uint64_t upper,
                                          std::uint64_t quantum) noexcept;

/// Returns a capacity for which `completes(capacity)` is true; empty if none was found up to `upper`. A workload may
/// complete at a capacity and fail at a larger one. The search thus climbs from `lower` in small steps
/// (`next_capacity`) to the first that completes. Then it tries all smaller capacities, if there are at most
/// `affordable`, and a larger one. Otherwise bisection below the first that completed finds a capacity that completes,
/// while a quantum less fails. All are in bytes.
/// Requires: `lower` is a multiple of `quantum`.
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
