#pragma once

/// Every error and comment about files for other viewers, with placeholders in braces.

#include <string_view>

namespace hbm::compare::texts {

inline constexpr std::string_view viewer_beside_mode =
    "{option} cannot be combined with {mode}: nothing is replayed there";
inline constexpr std::string_view too_many_for_snapshot =
    "--snapshot: found {managers} and {workloads}, expected at most {most} together: choose some with --manager";
inline constexpr std::string_view cell_name = "{manager}, {workload}";
inline constexpr std::string_view equal_managers = "and {count} more that cannot differ here: {names}";
inline constexpr std::string_view samples_to_end =
    "{cell}: allocations and space are those after event {fullest} of {events}, counted from 0; end_allocations and "
    "end_space those at the end";
inline constexpr std::string_view samples_to_failure =
    "{cell}: allocations and space are those after event {fullest} of {events}, counted from 0; end_allocations and "
    "end_space those when event {failed} failed: {error}";

}  // namespace hbm::compare::texts
