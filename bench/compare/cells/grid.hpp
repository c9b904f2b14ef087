#pragma once
/// Replays every workload under every manager.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/cells/cell.hpp"
#include "compare/cells/offline.hpp"
#include "compare/managers/selection.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// A workload under all selected managers. Managers that cannot differ on it share a cell.
struct comparison {
    const scenario* in = nullptr;
    std::vector<cell> cells;
    std::vector<std::size_t> cell_of;             ///< by manager: index into `cells`
    std::optional<offline_figures> offline = {};  ///< what it needs with everything known beforehand, if that was asked
    bool is_packed = false;                       ///< that was asked, and is empty if it cannot be said
    bool is_packed_briefly = false;               ///< with little effort, because nobody asked for it

    [[nodiscard]] const trace::figures& of(std::size_t manager) const { return cells[cell_of[manager]].found; }
};

/// True when `found`, the figures of a cell, have a time that is not one of the manager's own type. O(cells).
[[nodiscard]] bool is_timed_by_stand_in(const comparison& of, const trace::figures& found);

/// Replays everything on `jobs` cores (0: all), and then again for timing, alone on a core: `rounds` times. By default
/// only managers with a type of their own are timed, until one was timed for five milliseconds on a workload, at most
/// three times. Everything but the times is the same whatever `jobs` is. After a `stop_request` only the workloads that
/// are finished are in the result, perhaps without times.
[[nodiscard]] std::vector<comparison> compare_all(const selection& who, std::span<const scenario> all,
                                                  std::optional<std::uint64_t> rounds, std::size_t jobs,
                                                  bool shows_progress);

/// The cell of each manager, and a manager for each cell.
struct sharing {
    std::vector<std::size_t> cell_of;         ///< by manager
    std::vector<const manager_entry*> first;  ///< by cell: the first of its managers that is timed, or the first
};

/// Shares cells. O(managers x log managers).
[[nodiscard]] sharing share(const selection& who, const scenario& in);

/// How much of what was asked for a result is about, after an interrupt.
struct partial_result {
    std::size_t finished = 0;
    std::size_t all = 0;
    bool is_sweep = false;  ///< these are points of a sweep
};

/// Whether `count` workloads are points of a sweep, by the first of them: they may differ in parameters, memory or seed
/// alone. O(1).
[[nodiscard]] bool are_points_of_a_sweep(std::size_t count, const scenario& first);

/// `1 workload`, `4 workloads`, or `4 points of the sweep`.
[[nodiscard]] std::string workloads_in_words(std::size_t count, bool is_sweep);

/// `4 of 8 workloads`
[[nodiscard]] std::string extent_in_words(const partial_result& of);

/// The sentence that stands before everything else in the result.
[[nodiscard]] std::string interruption_words(const partial_result& of);

/// The same as a JSON object.
[[nodiscard]] std::string interruption_json(const partial_result& of);

}  // namespace hbm::compare
