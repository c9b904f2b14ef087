#pragma once

/// Samples of the memory in use, as values.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hbm {

/// The unit in which the steps of a series are counted.
enum class growth_unit : std::uint8_t {
    steps,    ///< one after the other
    numbers,  ///< each has a number of its own, a step of a program of which not all are known
    times,    ///< each has a time in microseconds
};

}  // namespace hbm

namespace hbm::imported {

/// A sample. Bytes.
struct memory_sample {
    std::uint64_t position = 0;  ///< its step, or its time in microseconds, or its number from 1
    std::uint64_t in_use = 0;
    std::uint64_t most = 0;  ///< the most since the sample before, where the peak has risen; else what is in use

    friend bool operator==(const memory_sample&, const memory_sample&) = default;
};

/// The samples of a device, in order, each at a place of its own.
struct sample_series {
    std::string device = {};  ///< as the file names it; empty without such a column
    growth_unit unit = growth_unit::steps;
    std::vector<memory_sample> samples = {};
    std::optional<std::uint64_t> limit = {};  ///< what can be in use, by the last sample; empty: unknown
    std::uint64_t limit_at = 0;               ///< the position of that sample
    std::uint64_t left_out = 0;               ///< samples without a number of bytes in use
    std::size_t back_line = 0;                ///< the first line whose step or time is before the last; 0: none is
    std::uint64_t replaced = 0;  ///< samples that do not count, because a later row has the same step or time
    std::size_t again_line = 0;  ///< the first line whose step or time is that of the row before; 0: none is

    friend bool operator==(const sample_series&, const sample_series&) = default;
};

}  // namespace hbm::imported
