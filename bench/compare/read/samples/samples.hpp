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

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/read/samples/sample_series.hpp"

namespace hbm::imported {

/// Series of a file of samples, or the error.
struct samples_result {
    std::vector<sample_series> devices = {};  ///< series in the order of their first samples
    std::optional<trace::read_error> error = {};
};

/// Reads samples; `name` is the file's, for messages. A wrong file gives an error and no samples.
/// Cost: O(size log size) for unsorted samples, or else O(size log devices).
[[nodiscard]] samples_result read_samples(std::string_view text, std::string name);

}  // namespace hbm::imported
