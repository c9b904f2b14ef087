#pragma once
/// Reads samples of the memory in use: a table that a program wrote, or lines that it printed into a log.
///
/// | column of a table, or key in a dictionary            | meaning                                               |
/// |------------------------------------------------------|-------------------------------------------------------|
/// | `bytes_in_use`, `tpu.runtime.hbm.memory.usage.bytes` | required (`bytes_used` in PyTorch/XLA)                |
/// | `bytes_limit`, `tpu.runtime.hbm.memory.total.bytes`  | capacity                                              |
/// | `peak_bytes_in_use`                                  | peak so far                                           |
/// | `bytes_reserved`                                     | part of the capacity that is reserved                 |
/// | `step`, `time` (seconds or ISO 8601), `t` (µs)       | position; without it, equal distances                 |
/// | `device`                                             | a series for each device                              |
///
/// Columns come in any order; other columns, blank lines and lines that begin with `#` are skipped. Names may be in
/// capitals, cells may have quotes and blanks around them. Numbers may have a fraction (`76288.0`), which counts for
/// times only. A sample without a number of bytes in use (empty, `nan`, `none`, `null`) is left out. Samples are
/// sorted; of several at one step the last counts. Cells are separated by commas, or by semicolons or tabs if the
/// header row has no comma.
///
/// | line of a log                                                 | written by                    |
/// |---------------------------------------------------------------|-------------------------------|
/// | `step 7 {'bytes_in_use': 1961653248, 'bytes_limit': ...}`     | `device.memory_stats()`       |
/// | `│ 8 │ 18.45 GiB / 31.25 GiB │ 100.00% │`                      | tpu-info, also under `watch`  |
/// | `Using (GB) 1.59 / 30.75 (5.170732%) on TPU_4(process=1,...)` | MaxText                       |
/// | `hbm=[(3.74, 31.25), (3.74, 31.25)]Gb`                        | tpu-inference                 |
/// | `In Use: 2.648 GiB`                                           | Reactant                      |
///
/// Several devices in a line are named by their keys in a dictionary, or by their places in a list, from 0. Units are
/// binary.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/text/plain_text.hpp"

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
    std::string device = {};  ///< name of the device; empty without one
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

/// Reads a table of samples into series in the order of their first samples. Throws `read_error`; `name` is the file's.
/// Cost: O(size log size) for unsorted samples, or else O(size log devices).
[[nodiscard]] std::vector<sample_series> read_samples(std::string_view text, const std::string& name);

/// Returns true if the first row of `text` names a column of bytes in use. Cost: O(first row).
[[nodiscard]] bool looks_like_samples(std::string_view text);

/// Removes the first line that is neither blank nor a comment from `text`, and returns it; `line` is its number.
[[nodiscard]] std::optional<std::string_view> next_line(std::string_view& text, std::size_t& line);

/// Returns the cells of a line, without blanks and quotation marks around them. Between quotation marks a separator is
/// a character like others.
[[nodiscard]] std::vector<std::string_view> cells_of(std::string_view line, char separator);

/// Sample that a line of a log states.
struct log_sample {
    std::string device = {};  ///< name of the device; empty for the only sample of its line
    std::optional<std::uint64_t> in_use = {};
    std::optional<std::uint64_t> peak = {};
    std::optional<std::uint64_t> limit = {};
    std::optional<std::uint64_t> reserved = {};
    std::optional<std::uint64_t> step = {};
    std::size_t line = 0;     ///< line of the original, from 1
    std::size_t row = 0;      ///< line of the plain text, from 0
    bool is_certain = false;  ///< true if the form alone shows what it is
};

/// Returns the samples of a log, line by line. Cost: O(length).
[[nodiscard]] std::vector<log_sample> log_samples(const plain_text& log);

/// Returns the number after the word `step`, as in `step 7`, `Step: 7`, `step=7` or `"step": 7`.
[[nodiscard]] std::optional<std::uint64_t> step_in(std::string_view line);

/// Least number of lines with statistics for a series: fewer are no more than a remark about memory.
inline constexpr std::size_t fewest_log_samples = 8;

/// Returns the series of a log. Steps count if every line with a sample has one. Empty unless `fewest_log_samples`
/// lines hold statistics, or one has the form of a table. Cost: O(length).
[[nodiscard]] std::vector<sample_series> series_of_log(std::string_view text);

/// Returns the series of a log, however few its samples are. Cost: O(samples log samples).
[[nodiscard]] std::vector<sample_series> series_of(const std::vector<log_sample>& samples);

}  // namespace hbm::imported
