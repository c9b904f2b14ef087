#pragma once
/// Reads samples of the memory in use as CSV: values of `device.memory_stats()` that a program wrote down, or the
/// metrics of tpu-info.
///
/// | column                                                            | meaning                                  |
/// |-------------------------------------------------------------------|------------------------------------------|
/// | `bytes_in_use` or `tpu.runtime.hbm.memory.usage.bytes`            | required                                 |
/// | `bytes_limit` or `tpu.runtime.hbm.memory.total.bytes`             | capacity                                 |
/// | `peak_bytes_in_use`                                               | peak so far                              |
/// | `bytes_reserved`                                                  | part of the capacity that is reserved    |
/// | `step`, `time` (seconds or ISO 8601) or `t` (microseconds)        | position; without it, equal distances    |
/// | `device`                                                          | a series for each device                 |
///
/// Columns come in any order; other columns, blank lines and lines that begin with `#` are skipped. Names may be in
/// capitals, cells may have quotes and blanks around them. Numbers may have a fraction (`76288.0`), which counts for
/// times only. A sample without a number of bytes in use (empty, `nan`, `none`, `null`) is left out. Samples are
/// sorted; of several at one step the last counts. Cells are separated by commas, or by semicolons or tabs if the
/// header row has no comma.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"

namespace hbm {

/// The unit in which the steps of a series are counted.
enum class growth_unit : std::uint8_t {
    steps,    ///< one after the other
    numbers,  ///< explicit numbers, such as steps of a program, with gaps
    times,    ///< each has a time in microseconds
};

}  // namespace hbm

namespace hbm::imported {

/// Sample of the memory in use, in bytes.
struct memory_sample {
    std::uint64_t position = 0;  ///< step, time in microseconds, or number from 1
    std::uint64_t in_use = 0;
    std::uint64_t most = 0;  ///< peak since the previous sample if the peak rose; otherwise the bytes in use

    friend bool operator==(const memory_sample&, const memory_sample&) = default;
};

/// The samples of a device, in order, each at a place of its own.
struct sample_series {
    std::string device = {};  ///< name of the device in the file; empty without such a column
    growth_unit unit = growth_unit::steps;
    std::vector<memory_sample> samples = {};
    std::optional<std::uint64_t> limit = {};  ///< capacity according to the last sample that states it; empty: unknown
    std::uint64_t limit_at = 0;               ///< position of that sample
    std::uint64_t left_out = 0;               ///< samples without a number of bytes in use
    std::size_t back_line = 0;                ///< first line whose step or time is before the previous row's; 0: none
    std::uint64_t replaced = 0;               ///< samples that a later row with the same step or time replaces
    std::size_t again_line = 0;               ///< first line whose step or time is that of the previous row; 0: none

    friend bool operator==(const sample_series&, const sample_series&) = default;
};

/// Series of a file of samples, or the error.
struct samples_result {
    std::vector<sample_series> devices = {};  ///< series in the order of their first samples
    std::optional<trace::read_error> error = {};
};

/// Reads samples; `name` is the file's, for messages. A wrong file gives an error and no samples.
/// Cost: O(size log size) for unsorted samples, or else O(size log devices).
[[nodiscard]] samples_result read_samples(std::string_view text, std::string name);

}  // namespace hbm::imported
