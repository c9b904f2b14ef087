#pragma once

/// A summary as JSON.

#include <cstdint>
#include <string>

#include "compare/growth/growth.hpp"

namespace hbm {

/// Returns millionths as a number with six decimals.
[[nodiscard]] std::string six_decimals(std::uint64_t millionths);

/// A summary as a JSON object on a single line, an element of "series" in the schema hbm-growth/1. Rates are numbers
/// with six decimals. Steps are numbers of steps, or microseconds, as `unit` says; then `bytes_an_hour` stands for
/// `bytes_a_step`. What does not apply is null. "withheld" says why there is no verdict: "an_instant" or
/// "no_steps_marked". "end_step" is the first step above the capacity, where it was passed; "earliest_end_step" and
/// "latest_end_step" are where else it may be, while it is ahead; null if the latest cannot be told.
/// "end_step_evicting" is the end if programs that do not run are evicted, null without programs. "scratch_bytes" is
/// 0: scratch of programs is counted in all other numbers.
/// "jump" is a single rise at once, without which the verdict is. "rise" says from where to where memory rose, beside
/// that, in a series of which no steady growth is proven: the verdict "unproven" then, if nothing else grows.
/// "gap" is the longest time without samples where memory seems to grow only from one side of it to the other.
[[nodiscard]] std::string to_json(const growth_summary& of);

}  // namespace hbm
