#pragma once

/// Finds in a log what a program printed of `device.memory_stats()`, line by line, between whatever else it printed.

#include <cstddef>
#include <string>
#include <string_view>

namespace hbm::imported {

/// Fewer lines with samples are a message about memory rather than a series.
inline constexpr std::size_t fewest_log_samples = 8;

/// The samples in a log as CSV, for `read_samples`: `step` where every line with a sample names its step, `device`
/// where a line holds samples of several devices, and what the keys of `memory_stats()` say. Devices are named by their
/// keys in a dictionary, or by their places in a list, from 0. Empty unless 8 lines hold samples. O(length of the
/// text).
[[nodiscard]] std::string samples_in_log(std::string_view text);

}  // namespace hbm::imported
