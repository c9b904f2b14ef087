#pragma once

/// Every error and warning about options that exclude each other, and about workloads, with placeholders in braces.

#include <string_view>

namespace hbm::compare::texts {

// Options that exclude each other.
inline constexpr std::string_view format_beside_mode = "{mode} has the formats table and json, not csv and md";
inline constexpr std::string_view on_oom_beside_growth =
    "--on-oom cannot be combined with --growth: nothing fails there";
inline constexpr std::string_view option_beside_growth =
    "{option} cannot be combined with --growth: nothing is compared there";
inline constexpr std::string_view option_beside_message =
    "--message cannot be combined with {option}, only with --describe, --capacity, --format json and -o: the "
    "answer is about the message alone";
inline constexpr std::string_view json_beside_message = "--message --format json cannot be combined with --describe";
inline constexpr std::string_view capacities_beside_message =
    "--message takes one --capacity, a size such as 15.75GiB or a generation such as v5p";
inline constexpr std::string_view repeated_message = "--message: found it twice, expected it once";
inline constexpr std::string_view option_beside_serve =
    "--serve cannot be combined with {option}, only with --weights, --capacity, --device, --format json and -o: the "
    "answer is about one device";

// Options without effect.
inline constexpr std::string_view idle_with_message =
    "{option} has no effect with --message: the answer is about the message alone";
inline constexpr std::string_view idle_with_growth = "{option} has no effect with --growth: nothing is compared there";
inline constexpr std::string_view idle_seed = "--seed has no effect: nothing here is generated";
inline constexpr std::string_view idle_device =
    "--device has no effect: no --trace is a profile or snapshot of several devices";
inline constexpr std::string_view idle_in_flight = "--in-flight has no effect: nothing here runs programs";

// Workloads.
inline constexpr std::string_view bytes_at_once = "{bytes}, with which more than {most} is in memory at once";
inline constexpr std::string_view real_bytes =
    "sizes in bytes of a real device: look for a wrong unit, a negative number, or rows `free` that are missing";
inline constexpr std::string_view error_of_workload = "{workload}: {error}";
inline constexpr std::string_view missing_recorded_trace =
    "{error}. It is one of the recorded traces, which the build unpacks: configure and build again, name their folder "
    "with HBM_TRACE_DIRECTORY, or choose traces of your own with --trace FILE";
inline constexpr std::string_view other_memories =
    "left out {buffers} of other kinds than device, at most {bytes} at once: a replay is of the device's memory";
inline constexpr std::string_view skipped_failures = "{workload}: left out {failures} of the log";

// Programs of dumps.
inline constexpr std::string_view skipped_file = "{error}; it is left out";
inline constexpr std::string_view skipped_program = "{error}; this program is left out";
inline constexpr std::string_view several_programs = "a dump of {count} programs";
inline constexpr std::string_view one_program = "the file of one: the numbers of donate= are those of its arguments";

// Titles.
inline constexpr std::string_view usual_capacity = "the usual capacity";
inline constexpr std::string_view given_capacity = "capacity {capacity}";
inline constexpr std::string_view given_quantum = "quantum {quantum}";

}  // namespace hbm::compare::texts
