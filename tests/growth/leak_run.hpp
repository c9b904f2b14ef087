#pragma once
// What the tests of series with a leak share.

#include <hbm/growth/growth_series.hpp>

#include <cstdint>
#include <optional>

#include "growth/leak_series.hpp"

namespace hbm::test {

/// The memory of these tests: a hundred deviations of the noise above the level.
inline constexpr std::uint64_t leak_capacity = static_cast<std::uint64_t>(leaks::level + 100 * leaks::deviation);

/// A series of `steps` steps, counted from 1.
template <class BytesAt>
[[nodiscard]] growth_series watched(std::uint64_t steps, BytesAt bytes_at,
                                    std::uint32_t window = growth_series::usual_window) {
    growth_series seen{window};
    for (std::uint64_t step = 1; step <= steps; ++step) seen.add(bytes_at(step), bytes_at(step));
    return seen;
}

/// A leak that was watched until memory ended.
struct leak_run {
    std::optional<steady_growth> first;  ///< what was known when it was noticed
    std::uint64_t end = 0;               ///< the step at which memory ended
};

/// Watches a series of correlated noise with this leak.
[[nodiscard]] inline leak_run watched_to_the_end(const leaks::leak_spec& leak, std::uint64_t seed) {
    leaks::leaking_series made({.name = "", .correlation = 900}, leak, seed);
    growth_series seen;
    leak_run found;
    for (std::uint64_t bytes = 0; bytes < leak_capacity; ++found.end) {
        bytes = made.next();
        seen.add(bytes, bytes);
        if (!found.first) found.first = seen.growing();
    }
    return found;
}

}  // namespace hbm::test
