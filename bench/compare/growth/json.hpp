#pragma once

/// Summary as JSON.

#include <cstdint>
#include <string>

#include "compare/growth/growth.hpp"

namespace hbm {

/// Returns millionths as a number with six decimals.
[[nodiscard]] std::string six_decimals(std::uint64_t millionths);

/// Returns a summary as a JSON object on a single line, an element of "series" in the schema hbm-growth/1. Rates are
/// numbers with six decimals. Steps are numbers of steps, or microseconds, according to `unit`; then `bytes_an_hour`
/// stands for `bytes_a_step`. Inapplicable values are null. "withheld" is the reason for a missing verdict:
/// "an_instant" or "no_steps_marked". "end_step" is the first step above the capacity, if it was passed.
/// "earliest_end_step" and "latest_end_step" bound an end that is ahead; the latest is null if unbounded.
/// "end_step_evicting" is the end if programs that do not run are evicted, null without programs. "scratch_bytes" is 0:
/// scratch of programs is counted in all other numbers.
/// "jump" is a single rise at once, which the verdict excludes. "rise" has the beginning and end of memory without the
/// jump, in a series without proven steady growth. The verdict is "unproven" then, if nothing else grows.
/// "gap" is the longest time without samples, if memory seems to grow only across it.
[[nodiscard]] std::string to_json(const growth_summary& of);

}  // namespace hbm
