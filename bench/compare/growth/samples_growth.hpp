#pragma once
/// What grows in the samples of a device.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/growth/growth.hpp"
#include "compare/read/samples/sample_series.hpp"

namespace hbm::imported {

/// What grows in the samples of a device. Samples that lie unevenly are judged at even distances, so that rates and
/// forecasts go by steps or time, not by the number of samples. `capacity`, if given, counts instead of the limit in
/// the file. O(samples).
[[nodiscard]] growth_summary growth_of(const sample_series& of, std::string source,
                                       std::optional<std::uint64_t> capacity = std::nullopt);

/// What is in use at the end of one of many equal parts of the length of a series. Bytes.
struct even_sample {
    std::uint64_t position = 0;  ///< of the last sample of the part; of a part without any, where it begins
    std::uint64_t in_use = 0;    ///< by the last sample of the part; without any, on the line between its neighbours
    std::uint64_t most = 0;      ///< the most of all samples of the part
    bool has_sample = true;

    friend bool operator==(const even_sample&, const even_sample&) = default;
};

/// So many parts in a row without a sample are a gap: nobody looked.
inline constexpr std::size_t fewest_gap_parts = 8;

/// Whether samples lie so unevenly that the number of a sample does not tell where it is: one of them is farther from
/// where it would be at even distances than a 64th of the whole length. O(samples).
[[nodiscard]] bool is_uneven(std::span<const memory_sample> samples) noexcept;

/// The samples at even distances, at most eight for each of them, and at most 262,144; at least two samples, in order.
/// O(samples).
[[nodiscard]] std::vector<even_sample> evenly_spaced(std::span<const memory_sample> samples);

/// A part of a series in which samples were taken all the time: from the place `begin` to before `end`.
struct sampled_stretch {
    std::size_t begin = 0;
    std::size_t end = 0;

    friend bool operator==(const sampled_stretch&, const sampled_stretch&) = default;
};

/// The stretches between the gaps of a series, from its place `from` on. O(places).
[[nodiscard]] std::vector<sampled_stretch> stretches_of(std::span<const even_sample> all, std::size_t from);

}  // namespace hbm::imported
