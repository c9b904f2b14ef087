#pragma once

/// Every sentence of --streams, with placeholders in braces.

#include <string_view>

namespace hbm::compare::stream_texts {

inline constexpr std::string_view heading = "{workload} in {capacity}, {in_flight} in flight";
inline constexpr std::string_view no_runs = "{workload}: no run of a program takes time, so that nothing can go on "
                                            "while blocks are copied. A run takes the time "
                                            "of its cell `us`, or by the column `t` until the next run or work, the "
                                            "last one until the last row.";
inline constexpr std::string_view stopped = "{place}: fails in {capacity} ({choices}): {error}";
inline constexpr std::string_view line = "{workload}:{number}";
inline constexpr std::string_view row = "{workload}, row {number} of {rows}";

// Rows, columns and cells of the table.
inline constexpr std::string_view choices[] = {"one stream, waiting", "two streams", "two streams, passes"};
inline constexpr std::string_view stalled = "stands still";
inline constexpr std::string_view stops = "stops early";
inline constexpr std::string_view share = "of waiting";
inline constexpr std::string_view end = "all runs over";
inline constexpr std::string_view evictions = "evictions";
inline constexpr std::string_view reloads = "reloads";
inline constexpr std::string_view moved = "moved by calls";
inline constexpr std::string_view passed = "by passes";
inline constexpr std::string_view milliseconds = "{count} ms";

inline constexpr std::string_view model =
    "The model of time: calls of the host take no time, and streams do their work in order, next to each other. If "
    "more "
    "runs are in flight than allowed, the host waits for the oldest. One stream, waiting: copies of moves are on the "
    "stream of the runs, which stands still for them, so that this is the modelled time of moves in other tables. Two "
    "streams: a call that moves blocks begins their copies on a second stream and waits for them, while runs in flight "
    "go on; the first stream stands still from the end of these runs to the end of the copies. Passes: after each run, "
    "copies of at most {pass} begin that no call waits for until it needs the places. Waits for runs, evictions and "
    "reloads take their time in each row, and it does not count as standing still: that is the end of all runs less "
    "their end if copies took no time. Copies do not slow down runs.";

}  // namespace hbm::compare::stream_texts
