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

// Values of worst_case that make an attack ineffective.
inline constexpr std::string_view attack_needs_six =
    "found `largest={largest}`, expected largest from 6 to 64 with attack={attack}";
inline constexpr std::string_view attack_needs_power =
    "found `largest={largest}`, expected largest as a power of two from 2 to 64 with attack={attack}";
inline constexpr std::string_view attack_needs_live =
    "found `live={live}`, expected live from {least} to 512 with largest={largest}";

}  // namespace hbm::trace::texts
