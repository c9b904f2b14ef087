#pragma once

/// Every sentence of --on-oom that the library's explanation does not have, with placeholders in braces.

#include <string_view>

namespace hbm::compare::texts {

inline constexpr std::string_view failure_heading =
    "== {workload}, event {event} of {events} counted from 0{line} ==\nunder {manager}{alias}{others}\n{rounding}";
inline constexpr std::string_view line_of_event = " (line {line})";
inline constexpr std::string_view alias_of = ", which is {manager}";
inline constexpr std::string_view others_fail_alike = ", and under {count} more that cannot differ here:{names}";
inline constexpr std::string_view powers_of_two = "buddy takes powers of two: {taken} for the requested {requested}.\n";
inline constexpr std::string_view needs_more_later =
    "These are for this request alone: later ones need more, the whole workload at least {needed}.\n";
inline constexpr std::string_view evicted_program_runs =
    "A remedy that evicts program '{program}' helps this request alone: event {event} runs it with this very buffer, "
    "and has to bring it back.\n";
inline constexpr std::string_view completes_under = "{workload} completes under {managers}.\n";
inline constexpr std::string_view manager_of_tpu = "{manager} (the manager that a TPU has)";
inline constexpr std::string_view it_fails_too =
    "It also fails under {managers}: to explain, name them with --manager, or write a file: --on-oom why.txt.\n";
inline constexpr std::string_view workload_fails_too =
    "{workload} also fails under {managers}: to explain, name them with --manager, or write a file: --on-oom "
    "why.txt.\n";
inline constexpr std::string_view models_fail =
    "{workload} fails under {managers}: models of another allocator, whose memory is not explained.\n";
inline constexpr std::string_view same_failure =
    "Memory contents omitted; same failure as {manager} above. A file whose name ends in .json has all of it.\n";
inline constexpr std::string_view no_failure = "No manager ran out of memory.\n";
inline constexpr std::string_view failure_title = "{workload}: {managers} at event {event}";

}  // namespace hbm::compare::texts
