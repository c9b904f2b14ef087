#pragma once

/// Every sentence of the page that other rooms do not have, with placeholders in braces.

#include <string_view>

namespace hbm::compare::page_texts {

// Answers without a manager to take. The first is for one workload, for several, and for points of a sweep.
inline constexpr std::string_view no_manager[] = {"No manager completes the workload.",
                                                  "No manager completes any workload.",
                                                  "No manager completes any point of the sweep."};
inline constexpr std::string_view impossible = "No manager completes {workload}.";
inline constexpr std::string_view impossible_in_memory =
    "No manager completes {workload}: it needs at least {need}, and the memory has {capacity}.";
inline constexpr std::string_view failing_seeds = "{workload} under {failing} of {seeds}";

// Cells of the matrix.
inline constexpr std::string_view fails = "fails";
inline constexpr std::string_view failed_event = "event {event}";
inline constexpr std::string_view cell_fails = "{manager} on {workload}: fails at event {event} of {events}";
inline constexpr std::string_view fits = "fits";
inline constexpr std::string_view no_relief = "no relief";
/// Without and with relief.
inline constexpr std::string_view cell_fits[] = {
    "{manager} on {workload}: completes in the given memory, without moves or reloads",
    "{manager} on {workload}: completes in the given memory, moves and reloads take {time}"};
/// Measured needs, and upper bounds. `{luck}`: one of the three below, or nothing.
inline constexpr std::string_view cell_needs[2][2] = {
    {"{manager} on {workload}: needs {bytes}, {overhead} times the least possible{luck}",
     "{manager} on {workload}: needs {bytes}, {overhead} times the least possible, moves and reloads take "
     "{time}{luck}"},
    {"{manager} on {workload}: needs at most {bytes}, {overhead} times the least possible{luck}",
     "{manager} on {workload}: needs at most {bytes}, {overhead} times the least possible, moves and reloads take "
     "{time}{luck}"}};
inline constexpr std::string_view as_much = "; as much for {variants} of it";
inline constexpr std::string_view range = "; {range} over the workload and {variants} of it";
inline constexpr std::string_view range_of_equals =
    "; {range} over the workload and {variants} of it, equal within luck to needs marked {letter}";

// Legend of the matrix.
inline constexpr std::string_view overheads = "Memory needed, as a multiple of the least possible, up to";
inline constexpr std::string_view prices = "In a given memory: time of moves and reloads, up to";
inline constexpr std::string_view plus_sign = "A plus sign stands before the time of moves and reloads.";
inline constexpr std::string_view letters =
    "A plus sign stands before the time of moves and reloads. Needs of a column with the same letter are equal within "
    "luck: the ranges over variants of the workload overlap by more than half. Point at a cell for its range.";

// Diagram of cost.
inline constexpr std::string_view no_moves = "no moves or reloads";
inline constexpr std::string_view no_diagram[] = {
    "No diagram of cost: the memory was given, and every manager that completes takes no moves or reloads.",
    "No diagram of cost: the memory was given, and every manager that completes takes {time} for moves and reloads."};

}  // namespace hbm::compare::page_texts
