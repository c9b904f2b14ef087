#pragma once

/// Lists of values: `1..20`, `200|400`, and workloads whose parameters have several values.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hbm::compare {

/// No list is longer: a sweep of so many points would never end.
inline constexpr std::uint64_t max_values = 1'000'000;

/// Reads a whole number, or a range such as `1..20`, and appends its numbers. False if the text is neither, the range
/// is empty, or it has more than `max_values` numbers.
[[nodiscard]] bool read_range(std::string_view text, std::vector<std::uint64_t>& into);

/// A generated workload with a value for each key.
struct chosen_workload {
    std::string text;                                        ///< `NAME[:key=value,...]`
    std::vector<std::pair<std::string, std::string>> swept;  ///< keys that were given several values, and the value
};

/// All combinations of `NAME[:key=value,...]`, where a value may be several, `200|400`, or a range, `1..5`; the last
/// key changes fastest. Returns an error message, or an empty text.
[[nodiscard]] std::string choose_values(std::string_view text, std::vector<chosen_workload>& into);

}  // namespace hbm::compare
