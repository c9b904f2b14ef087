#pragma once
/// The points of a sweep: each requested combination of workload, parameters, quantum, capacity and seed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/command_line/options.hpp"

namespace hbm::compare {

/// Value of a point on an axis that has several values.
struct axis_value {
    std::string key;                   ///< key of the result: `seed`, `capacity_asked`, `parameter_NAME`
    std::optional<std::string> value;  ///< value; empty: this workload does not have the axis
    bool is_text = false;              ///< true for a text, false for a whole number
};

/// Workload to be read or generated, and its memory.
struct sweep_point {
    enum class kind : std::uint8_t { file, recorded, generated, programs };

    kind what = kind::file;
    std::string text;   ///< path; or `NAME[:key=value,...]` with a value for each key
    std::string place;  ///< origin for messages: an option, or FILE:LINE:COLUMN
    capacity_choice capacity;
    std::uint64_t quantum = device_quantum;  ///< bytes
    std::uint64_t seed = 1;
    std::vector<axis_value> swept;  ///< values on the axes; the keys are the same at all points
};

/// Lists all points in `target`: source by source as given; for each its parameters, the last one fastest. Then come
/// quanta, capacities and seeds, the seeds fastest. Returns an error message, or an empty text.
[[nodiscard]] std::string all_points(const options& settings, std::vector<sweep_point>& target,
                                     std::vector<std::string>& warnings);

/// Reads the file of --sweep: grids into `into.grids`, and options about managers into `settings`. Each line is a
/// comment after `#`, or a word and its value as on the command line. The line `grid` begins another grid; it starts
/// with the values before the first grid, and may replace them. Returns an error message, with FILE:LINE:COLUMN, or an
/// empty text.
[[nodiscard]] std::string read_sweep(options& settings);

/// Limit on the values of a list: a larger sweep would never end.
inline constexpr std::uint64_t max_values = 1'000'000;

/// Reads a whole number, or a range such as `1..20`, and appends its numbers. Returns false if the text is neither, the
/// range is empty, or the list would have more than `max_values` numbers.
[[nodiscard]] bool read_range(std::string_view text, std::vector<std::uint64_t>& target);

/// Generated workload with a value for each key.
struct chosen_workload {
    std::string text;                                        ///< `NAME[:key=value,...]`
    std::vector<std::pair<std::string, std::string>> swept;  ///< keys that were given several values, and the value
};

/// Lists all combinations of `NAME[:key=value,...]`. A value may be several, `200|400`, or a range, `1..5`; the last
/// key changes fastest. Returns an error message, or an empty text.
[[nodiscard]] std::string choose_values(std::string_view text, std::vector<chosen_workload>& target);

}  // namespace hbm::compare
