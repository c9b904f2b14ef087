#pragma once
/// Finds in a log what a program printed of `device.memory_stats()`, line by line, between whatever else it printed.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// Fewer lines with samples are a message about memory rather than a series.
inline constexpr std::size_t fewest_log_samples = 8;

/// The samples in a log as CSV, for `read_samples`: `step` where every line with a sample names its step, `device`
/// where a line holds samples of several devices, and what the keys of `memory_stats()` say. Devices are named by their
/// keys in a dictionary, or by their places in a list, from 0. Empty unless 8 lines hold samples. O(length of the
/// text).
[[nodiscard]] std::string samples_in_log(std::string_view text);

/// The keys that are taken over, which are columns of samples as well.
inline constexpr std::array<std::string_view, 4> keys{"bytes_in_use", "peak_bytes_in_use", "bytes_limit",
                                                      "bytes_reserved"};

/// A sample of a device.
struct sample {
    std::optional<std::uint64_t> step = {};
    std::string device = {};  ///< empty: it is the only sample of its line
    std::array<std::optional<std::uint64_t>, keys.size()> values = {};
};

/// The samples of a line: of each device that it tells of. Where they cannot be told apart the first counts. O(length
/// of the line).
[[nodiscard]] std::vector<sample> samples_in(std::string_view line);

}  // namespace hbm::imported
