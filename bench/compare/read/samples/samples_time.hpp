#pragma once

/// Dates with times of day in files of samples, as logs and data frames write them.

#include <cstdint>
#include <string_view>

namespace hbm::imported {

/// Reads a date with a time of day in the form of ISO 8601, `2026-11-23T18:54:10.25+01:00`, as microseconds since the
/// beginning of 1970. A blank may replace the T. Without a zone UTC is assumed, which does not affect distances between
/// samples. Seconds may be left out. Returns false for anything else, also for invalid days and years before 1971.
/// Cost: O(length).
[[nodiscard]] bool read_date_and_time(std::string_view text, std::uint64_t& microseconds);

}  // namespace hbm::imported
