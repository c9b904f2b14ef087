#pragma once

/// Every sentence of a table's findings, with placeholders in braces.

#include <string_view>

namespace hbm::compare::texts {

// Managers and sizes.
inline constexpr std::string_view names_and_more = "{names} and {count} more";
inline constexpr std::string_view every_manager = "Every manager";
inline constexpr std::string_view need_and_least = "{size}, {times} times the {least} needed at least";
inline constexpr std::string_view need_and_peak = "{size}, {times} times its peak live bytes";

/// Findings about a measure of memory: of one manager, of managers that need the same, and of others.
struct measure_texts {
    std::string_view single;
    std::string_view equal;
    std::string_view range;
};
inline constexpr measure_texts memory = {"{least} needs {least_need}.", "All need the same: {least_need}.",
                                         "Least memory: {least} with {least_need}; most: {most} with {most_need}."};
inline constexpr measure_texts footprint = {
    "{least} has a footprint of {least_need}.", "All have the same footprint: {least_need}.",
    "Least footprint: {least} with {least_need}; most: {most} with {most_need}."};

// Findings about a workload.
inline constexpr std::string_view nothing_to_replay = "There is nothing to replay.";
inline constexpr std::string_view larger_fails = "A minimum capacity is the least that works; a larger one may fail, "
                                                 "as was seen under {names}: {first} completes in "
                                                 "{size} and fails in {larger}.";
inline constexpr std::string_view impossible =
    "No manager can complete it: at least {needed} is needed at once, {missing} more than there is. To see what each "
    "manager needs: --capacity min.";
inline constexpr std::string_view fits = "{who} completes it in {capacity}; {needed} is live at the peak.";
inline constexpr std::string_view fits_programs = "{who} completes it in {capacity}; at least {needed} is needed.";
inline constexpr std::string_view it_fails = "It fails: {names}.";
inline constexpr std::string_view all_fail = "All {all} managers fail: {names}.";
inline constexpr std::string_view one_fails = "{count} of {all} managers fails: {names}.";
inline constexpr std::string_view some_fail = "{count} of {all} managers fail: {names}.";
inline constexpr std::string_view scattered =
    "Enough was free, but not in one piece or not in the right place, for {names}.";
inline constexpr std::string_view failure = "{manager} at event {event}: {message}";
inline constexpr std::string_view cost_of_moving = "Cost of moving";
inline constexpr std::string_view cost_of_evicting = "Cost of evicting";
inline constexpr std::string_view one_price = "{cost}: {least}.";
inline constexpr std::string_view two_prices = "{cost}: {least} to {most}.";
inline constexpr std::string_view range_of_prices = "{cost}: {least} to {most}; {between} in between.";
inline constexpr std::string_view price = "{time} ({names}, {spending})";
inline constexpr std::string_view moved = "{bytes} in {moves}";
inline constexpr std::string_view evicted = "{evictions} of {bytes}, {reloads}";
inline constexpr std::string_view donation =
    "Donation ({with} compared with {without}): {taken} of {offered} donors taken, {bytes} never allocated afresh.";
inline constexpr std::string_view donation_lowers_peak =
    "Donation ({with} compared with {without}): {taken} of {offered} donors taken, {bytes} never allocated afresh; the "
    "peak is {peak} instead of {peak_without}.";
inline constexpr std::string_view donation_completes =
    "Donation ({with} compared with {without}): {taken} of {offered} donors taken, {bytes} never allocated afresh; it "
    "completes only so.";
inline constexpr std::string_view fragmentation =
    "Lowest mean fragmentation: {least}, {least_part}; highest: {most}, {most_part}.";

// Findings about all workloads together.
inline constexpr std::string_view does_not_fit = "{workloads} does not fit under any manager.";
inline constexpr std::string_view do_not_fit = "{workloads} do not fit under any manager.";
inline constexpr std::string_view all_complete = "Every manager completes {all}.";
inline constexpr std::string_view these_complete = "These managers complete {all}: {names}.";
inline constexpr std::string_view others_fail_one = "Every other manager fails {failures} of 1.";
inline constexpr std::string_view others_fail = "Every other manager fails {failures} of these {possible}.";
inline constexpr std::string_view these_fail = "These managers fail {failures} of {count}: {names}.";

/// Workloads that some manager can complete: a single one and more, as a whole and as a count.
struct workloads_texts {
    std::string_view the_one;
    std::string_view all;
    std::string_view one;
    std::string_view some;
};
/// With none, and with some, that no manager can complete.
inline constexpr workloads_texts workloads[2] = {
    {"the other workload", "all {count}", "1", "{count}"},
    {"the other workload", "all {count} others", "1 other", "{count} others"},
};

// Chapters.
inline constexpr std::string_view about = "{events}, {needed} live at the peak, {memory}, quantum {quantum}";
inline constexpr std::string_view about_programs =
    "{events}, never less than {needed} needed, {memory}, quantum {quantum}";
inline constexpr std::string_view unlimited_memory = "unlimited memory";
inline constexpr std::string_view minimum_memory = "each manager at its minimum capacity";
inline constexpr std::string_view custom_memory = "a memory of {size}";
inline constexpr std::string_view device_memory = "a {device} with {size}";
inline constexpr std::string_view whole_growth =
    "To list who holds what, at the end and at the peak: `hbm_compare --growth --trace {file}`.";

/// Reasons why managers share rows, and the options that separate them. Without programs, without donations, and with
/// both; in limited and in unlimited memory. With both in limited memory, all managers can differ.
inline constexpr std::string_view shared_rows[3][2] = {
    {"Managers that cannot differ here share a row: without programs there is nothing to evict or donate; in a trace "
     "with rows `load` and `run` they can.",
     "Managers that cannot differ here share a row: without programs there is nothing to evict or donate, and where "
     "memory never runs out nothing moves; in a trace with rows `load` and `run` they can, or in limited memory they "
     "can: --capacity min."},
    {"Managers that cannot differ here share a row: nothing is donated; in a trace whose runs donate inputs they can. ",
     "Managers that cannot differ here share a row: nothing is donated, and where memory never runs out nothing is "
     "evicted or moved; in a trace whose runs donate inputs they can, or in limited memory they can: --capacity min. "},
    {"", "Managers that cannot differ here share a row: where memory never runs out nothing is evicted or moved; in "
         "limited memory they can: --capacity min."},
};
inline constexpr std::string_view idle_moves =
    "Nothing had to be moved, so managers that may move blocks do not differ from those that may not. To see them "
    "differ: --capacity min, which shows what each needs.";
inline constexpr std::string_view idle_policies =
    "{count} managers never had to move or evict, so their policies made no difference. To see one, try --capacity "
    "{bytes} ({size}).";
inline constexpr std::string_view brief = "Managers with identical results share a row. Footprints are in "
                                          "unlimited memory.";
inline constexpr std::string_view brief_without_programs =
    "Managers with identical results share a row. Traces without `load` and "
    "`run` rows never exercise eviction or donation. Footprints are in unlimited memory.";

// Tables.
inline constexpr std::string_view equal_figures = "Managers with the same figures share a row.";
inline constexpr std::string_view shortened = "{mark} is {placement}.";
inline constexpr std::string_view left_out = "Left out for the width: {columns}.";
inline constexpr std::string_view part_of = "{part} of {whole}";
inline constexpr std::string_view fails_at = "fails at event {event}";
inline constexpr std::string_view completes = "completes";

// Packings that know everything.
inline constexpr std::string_view no_packing =
    "offline: not available for workloads with programs, whose contents depend on evictions.";
inline constexpr std::string_view packing = "offline, with everything known in advance and nothing moved: {bytes} is "
                                            "enough, {times} times its peak live bytes: "
                                            "{fate}{online}";
inline constexpr std::string_view no_fate = "nothing is fate.";
inline constexpr std::string_view proven_fate = "{part} is fate, proven.";
/// After --offline, and without it.
inline constexpr std::string_view tiny_fate[] = {"{part} is fate.", "{part} is fate (--offline tries longer)."};
inline constexpr std::string_view some_fate[] = {
    "at most {part} is fate, for less is not ruled out.",
    "at most {part} is fate, for less is not ruled out (--offline tries longer)."};
inline constexpr std::string_view part_of_peak = "{percent} of the peak";
inline constexpr std::string_view tiny_part_of_peak = "less than 0.1 % of the peak";
inline constexpr std::string_view no_online_cost = " No manager here needs more.";
inline constexpr std::string_view same_online_cost = " Not knowing what comes costs {most} {most_part}.";
inline constexpr std::string_view online_costs =
    " Not knowing what comes costs {most} {most_part}, the most here; the least, {least}, {least_part}.";
inline constexpr std::string_view nothing = "nothing";

inline constexpr std::string_view workloads_together = "All workloads together";

// Table of all workloads.
inline constexpr std::string_view memory_row = "(memory)";
inline constexpr std::string_view bound_row = "(at least)";
inline constexpr std::string_view own_need = "its need";
inline constexpr std::string_view own_need_at_most = "need, <=";
inline constexpr std::string_view no_limit = "no limit";
inline constexpr std::string_view fits_cell = "fits";
inline constexpr std::string_view fails_cell = "fails";
inline constexpr std::string_view needs_cells =
    "Under `need`: the least memory in which the manager completes the workload.";
inline constexpr std::string_view bisection_cells = "<=: found by bisection, a smaller one may do.";
inline constexpr std::string_view footprint_cells = "Without a limit: the footprint.";
inline constexpr std::string_view cost_cells =
    "Under a given memory: the modelled time of moves and reloads, `fits` without any, or `fails`.";
inline constexpr std::string_view note_on_workload = "{workload}: {note}";
inline constexpr std::string_view units = "K, M and G are KiB, MiB and GiB. (at least): no manager needs less.";
inline constexpr std::string_view units_and_details =
    "K, M and G are KiB, MiB and GiB. (at least): no manager needs less. --details prints a table for each workload.";

}  // namespace hbm::compare::texts
