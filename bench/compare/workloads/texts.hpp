#pragma once

/// Every error and warning about options that exclude each other, and about workloads, with placeholders in braces.

#include <string_view>

namespace hbm::compare::texts {

// Options that exclude each other.
inline constexpr std::string_view format_beside_mode = "{mode} has the formats table and json, not csv and md";
inline constexpr std::string_view option_beside_shard = "--shard cannot be combined with {option}: that needs all rows";
inline constexpr std::string_view schedule_beside_shard =
    "--shard cannot be combined with --schedule: `hbm_compare merge` has no plan";
inline constexpr std::string_view format_beside_shard =
    "--shard writes JSON only: `hbm_compare merge` writes the other formats";
inline constexpr std::string_view option_beside_merge =
    "merge cannot be combined with {option}: it takes shards and outputs, such as --format table or --html FILE. The "
    "comparison was decided when the shards were made";
inline constexpr std::string_view on_oom_beside_growth =
    "--on-oom cannot be combined with --growth: nothing fails there";
inline constexpr std::string_view option_beside_growth =
    "{option} cannot be combined with --growth: nothing is compared there";
inline constexpr std::string_view option_beside_message =
    "--message cannot be combined with {option}, only with --before, --describe, --capacity, --format json and -o: the "
    "answer is about the message alone";
inline constexpr std::string_view json_beside_message =
    "--message --format json cannot be combined with --before and --describe";
inline constexpr std::string_view capacities_beside_message =
    "--message takes one --capacity, a size such as 15.75GiB or a generation such as v5p";
inline constexpr std::string_view repeated_message = "--message: found it twice, expected it once";
inline constexpr std::string_view option_beside_serve =
    "--serve cannot be combined with {option}, only with --weights, --capacity, --device, --format json and -o: the "
    "answer is about one device";
inline constexpr std::string_view option_beside_batch =
    "--batch cannot be combined with {option}, only with --capacity, --format json and -o: the answer is about one "
    "program";
inline constexpr std::string_view option_beside_changes =
    "--before cannot be combined with {option}, only with one --message, --trace or --program";
inline constexpr std::string_view files_beside_changes =
    "--before: found {count} files to compare, expected one --message, --trace or --program";
inline constexpr std::string_view csv_beside_recommend =
    "--recommend: found --format csv, expected table, md or json: CSV has no place for sentences";

// Options without effect.
inline constexpr std::string_view idle_with_message =
    "{option} has no effect with --message: the answer is about the message alone";
inline constexpr std::string_view idle_with_growth = "{option} has no effect with --growth: nothing is compared there";
inline constexpr std::string_view idle_with_recommend =
    "{option} has no effect with --recommend: it writes sentences instead of tables";
inline constexpr std::string_view idle_seed = "--seed has no effect: nothing here is generated";
inline constexpr std::string_view idle_device =
    "--device has no effect: no --trace is a profile or snapshot of several devices";
inline constexpr std::string_view idle_in_flight = "--in-flight has no effect: nothing here runs programs";
inline constexpr std::string_view idle_baseline =
    "--baseline has no effect with --rounds 0: it is what times are compared with";
inline constexpr std::string_view idle_effort =
    "--effort has no effect without --on-oom or --html: nothing is explained";

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
inline constexpr std::string_view given_seed = "seed {seed}";

}  // namespace hbm::compare::texts
