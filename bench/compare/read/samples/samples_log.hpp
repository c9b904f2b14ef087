#pragma once
/// Finds in a log the printed values of `device.memory_stats()`, and samples that other programs print, line by line.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

/// Least number of lines for a series: fewer are a message about memory.
inline constexpr std::size_t fewest_log_samples = 8;

/// Returns the samples of a log as CSV for `read_samples`: the columns of `keys`; `step` if every line with a sample
/// has one; `device` if a line has several. Devices are named by their keys in a dictionary, or by their places in a
/// list, from 0. Empty unless 8 lines hold statistics, or one a sample in a form of `printed_samples_in()`.
/// Cost: O(length of the text).
[[nodiscard]] std::string samples_in_log(std::string_view text);

/// Keys of `memory_stats()` that are read; columns of samples have the same names.
inline constexpr std::array<std::string_view, 4> keys{"bytes_in_use", "peak_bytes_in_use", "bytes_limit",
                                                      "bytes_reserved"};

/// A sample of a device.
struct sample {
    std::optional<std::uint64_t> step = {};
    std::string device = {};  ///< name of the device; empty for the only sample of its line
    std::array<std::optional<std::uint64_t>, keys.size()> values = {};
};

/// Returns the samples of a line, one for each device in it. If devices cannot be distinguished, the first counts.
/// Cost: O(length of the line).
[[nodiscard]] std::vector<sample> samples_in(std::string_view line);

}  // namespace hbm::imported
