#pragma once

/// Every sentence of a recommendation with placeholders in braces.

#include <string_view>

namespace hbm::compare::texts {

// Recommendation: the manager to take.
inline constexpr std::string_view take_all = "Take {manager}: it completes {workloads}.";
inline constexpr std::string_view take_some = "Take {manager}: it completes {completed} of {workloads}.";
inline constexpr std::string_view one_workload = "the workload{counting}";
inline constexpr std::string_view all_workloads = "all {workloads}{counting}";
/// Workloads that count: all, without those that nobody completes, without another measure, without both.
inline constexpr std::string_view one_counting[] = {"", " that fits at all", " that counts",
                                                    " that fits at all and counts"};
inline constexpr std::string_view more_counting[] = {"", " that fit at all", " that count",
                                                     " that fit at all and count"};

// Recommendation: the reason.
inline constexpr std::string_view only_one =
    "It is the only manager compared: without --manager, the default managers are.";
inline constexpr std::string_view no_rival = "No other manager compared completes any of them.";
inline constexpr std::string_view no_equal_rival = "No other completes as many: the next completes {completed}.";
/// The next rival needs less, as much, or more.
inline constexpr std::string_view rivals[] = {"Of the {count} managers that complete as much, none is over 2 % smaller "
                                              "on any workload unless it costs more there. The "
                                              "nearest, {next}, needs {difference} less memory and spends {time}.",
                                              "Of the {count} managers that complete as much, none is over 2 % smaller "
                                              "on any workload unless it costs more there. The "
                                              "nearest, {next}, needs as much memory and spends {time}.",
                                              "Of the {count} managers that complete as much, none is over 2 % smaller "
                                              "on any workload unless it costs more there. The "
                                              "nearest, {next}, needs {difference} more memory and spends {time}."};
inline constexpr std::string_view equals = " Equal in memory, within 2 %: {names}.";
inline constexpr std::string_view more_equals = " Equal in memory, within 2 %: {names} and {count} more.";
inline constexpr std::string_view unranked =
    " Not counted: {workloads} in unlimited memory, where footprints are another measure; --capacity unlimited alone "
    "ranks them.";

// Recommendation: costs.
inline constexpr std::string_view no_cost = "It costs nothing: no moves, no reloads.";
inline constexpr std::string_view cost = "It costs {time} of modelled moves and reloads.";
inline constexpr std::string_view cost_in_all = "It costs {time} of modelled moves and reloads, over all workloads.";

// Recommendation: a simpler manager.
inline constexpr std::string_view no_simpler = "No simpler manager was compared.";
inline constexpr std::string_view none_as_much = "No simpler manager of those compared completes as much.";
inline constexpr std::string_view simplest_fails =
    "No simpler manager completes as much: {manager} fails {failures} of {workloads}.";
/// At less, at the same, and at more cost.
inline constexpr std::string_view simpler[] = {
    "With fewer policies: {manager} completes as much in {memory}, at {time} less.",
    "With fewer policies: {manager} completes as much in {memory}, at the same cost.",
    "With fewer policies: {manager} completes as much in {memory}, at {time} more."};
inline constexpr std::string_view as_small = "no more memory";
inline constexpr std::string_view larger = "{difference} more memory";

// No recommendation.
inline constexpr std::string_view no_rows = "There is nothing to replay, so no manager is recommended.";
inline constexpr std::string_view none_can = "No manager can complete any of these workloads: they need more memory.";
inline constexpr std::string_view none_does = "No manager compared completes any of these workloads.";
inline constexpr std::string_view more_memory = "Take more memory, or have less in use at once.";
inline constexpr std::string_view further_options =
    "To see what each manager needs: --capacity min; what is in the way: --on-oom FILE.";

}  // namespace hbm::compare::texts
