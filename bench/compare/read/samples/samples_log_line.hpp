#pragma once

/// Reads a line of a log that holds statistics of memory: of a device, or of several in a list or a dictionary.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hbm::imported {

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
