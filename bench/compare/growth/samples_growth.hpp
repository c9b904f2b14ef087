#pragma once
/// Growth in the samples of a device.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/growth/growth.hpp"
#include "compare/read/samples/samples.hpp"

namespace hbm::imported {

/// Returns the growth in the samples of a device. Uneven samples are judged at even distances, so that rates and
/// forecasts follow steps or time, not the number of samples. `capacity`, if given, overrides the limit in the file.
/// Cost: O(samples).
[[nodiscard]] growth_summary growth_of(const sample_series& series, std::string source,
                                       std::optional<std::uint64_t> capacity = std::nullopt);

/// Memory in use at the end of one of many equal parts of a series, in bytes.
struct even_sample {
    std::uint64_t position = 0;  ///< position of the last sample of the part; the start of a part without any
    std::uint64_t in_use = 0;    ///< bytes of the part's last sample; without any, on the line between neighbours
    std::uint64_t most = 0;      ///< peak of all samples of the part
    bool has_sample = true;

    friend bool operator==(const even_sample&, const even_sample&) = default;
};

/// Number of adjacent parts without a sample that make a gap.
inline constexpr std::size_t fewest_gap_parts = 8;

/// Returns true if samples lie so unevenly that their numbers do not represent their places. One of them is then off
/// its even place by more than a 64th of the whole length.
/// Cost: O(samples).
[[nodiscard]] bool is_uneven(std::span<const memory_sample> samples) noexcept;

/// Returns the samples at even distances, at most eight for each of them, and at most 262,144. Requires: at least two
/// samples, in order.
/// Cost: O(samples).
[[nodiscard]] std::vector<even_sample> evenly_spaced(std::span<const memory_sample> samples);

/// Part of a series with samples throughout: from the place `begin` to before `end`.
struct sampled_stretch {
    std::size_t begin = 0;
    std::size_t end = 0;

    friend bool operator==(const sampled_stretch&, const sampled_stretch&) = default;
};

/// Returns the stretches between the gaps of a series, from its place `from` on. Cost: O(places).
[[nodiscard]] std::vector<sampled_stretch> stretches_of(std::span<const even_sample> all, std::size_t from);

}  // namespace hbm::imported
