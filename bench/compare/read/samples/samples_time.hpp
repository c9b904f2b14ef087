#pragma once

/// Dates with times of day in files of samples, as logs and data frames write them.

#include <cstdint>
#include <string_view>

namespace hbm::imported {

/// Reads a date with a time of day in the form of ISO 8601, `2026-11-23T18:54:10.25+01:00`: microseconds since the
/// beginning of 1970. A blank may stand for the T; without a zone UTC is taken, which makes no difference to how far
/// samples are apart. Seconds may be left out. False for anything else, also for a day that there is not, and for years
/// before 1971. O(length).
[[nodiscard]] bool read_date_and_time(std::string_view text, std::uint64_t& microseconds);

}  // namespace hbm::imported
