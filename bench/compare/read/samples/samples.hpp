#pragma once

/// Reads how much memory was in use, sample by sample: what a program wrote down of `device.memory_stats()`, or of the
/// metrics of tpu-info, as CSV.
///
/// | column                                                            | meaning                                  |
/// |-------------------------------------------------------------------|------------------------------------------|
/// | `bytes_in_use` or `tpu.runtime.hbm.memory.usage.bytes`            | required                                 |
/// | `bytes_limit` or `tpu.runtime.hbm.memory.total.bytes`             | how much there is                        |
/// | `peak_bytes_in_use`                                               | the most so far                          |
/// | `bytes_reserved`                                                  | lessens how much there is                |
/// | `step`, or `time` in seconds or as dates in ISO 8601, or `t` in microseconds | where the sample is; else they are equally far apart |
/// | `device`                                                          | a series for each device                 |
///
/// Columns come in any order, others are passed over; so are blank lines and lines that begin with `#`. Names may be in
/// capitals, cells may have quotes and blanks around them. Numbers may have a fraction (`76288.0`), which counts for
/// times only. A sample without a number of bytes in use (empty, `nan`, `none`, `null`) is left out. Samples that are
/// not in order are put in order; of several at one step the last counts. Cells are parted by commas; by semicolons or
/// tabs where the header row has no comma.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/read_error.hpp"
#include "compare/read/samples/sample_series.hpp"

namespace hbm::imported {

/// What a file of samples holds, or why it could not be read.
struct samples_result {
    std::vector<sample_series> devices = {};  ///< in the order of their first samples
    std::optional<trace::read_error> error = {};
};

/// Reads samples; `name` is the file's, for messages. A wrong file gives an error and no samples. O(size log size)
/// where samples are not in order, else O(size log devices).
[[nodiscard]] samples_result read_samples(std::string_view text, std::string name);

}  // namespace hbm::imported
