#pragma once

/// Every error of a generated workload, with placeholders in braces.

#include <string_view>

namespace hbm::trace::texts {

inline constexpr std::string_view unknown_workload = "unknown workload {name}{nearest} The workloads are {names}";
inline constexpr std::string_view workload_error = "workload {name}: {error}";
inline constexpr std::string_view row_error = "row {row}: found {found}, expected {expected}";

// Parameters.
inline constexpr std::string_view no_parameter = "found {found}, expected key=value";
inline constexpr std::string_view unknown_parameter = "unknown key {key}{nearest} The keys are {keys}";
inline constexpr std::string_view repeated_parameter = "found key {key} twice, expected it once";
inline constexpr std::string_view value_out_of_range = "found {found}, expected {key} from {least} to {most}";

}  // namespace hbm::trace::texts
