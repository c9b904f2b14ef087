#pragma once

/// What grows in the samples of a device.

#include <cstdint>
#include <optional>
#include <string>

#include "compare/growth/summary.hpp"
#include "compare/read/samples/sample_series.hpp"

namespace hbm::imported {

/// What grows in the samples of a device. Samples that lie unevenly are judged at even distances, so that rates and
/// forecasts go by steps or time, not by the number of samples. `capacity`, if given, counts instead of the limit in
/// the file. O(samples).
[[nodiscard]] growth_summary growth_of(const sample_series& of, std::string source,
                                       std::optional<std::uint64_t> capacity = std::nullopt);

}  // namespace hbm::imported
