#pragma once
/// The result of a comparison: every workload under every manager.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare/grid/cell.hpp"
#include "compare/grid/figures.hpp"
#include "compare/grid/offline.hpp"
#include "compare/managers/selection.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

/// Workload under all selected managers. Managers that cannot differ on it share a cell.
struct comparison {
    const scenario* in = nullptr;
    std::vector<cell> cells;
    std::vector<std::size_t> cell_of;             ///< index into `cells` of each manager
    std::optional<offline_figures> offline = {};  ///< memory of the offline packing, if requested and possible

    [[nodiscard]] const trace::figures& of(std::size_t manager) const { return cells[cell_of[manager]].found; }
};

/// Finished part of an interrupted comparison.
struct partial_result {
    std::size_t finished = 0;
    std::size_t all = 0;
};

/// Managers, and each workload under all of them.
struct result {
    const selection& who;
    std::vector<comparison> workloads = {};
    std::optional<partial_result> cut = {};  ///< empty if the comparison was not interrupted

    /// Returns what the figures of a manager on a workload are taken from.
    [[nodiscard]] figure_source source(const comparison& on, std::size_t manager) const {
        return {*on.in, *who.managers[manager], on.of(manager), on.offline};
    }
};

/// Replays everything on `jobs` cores (0: all); the result is the same for any number. After a `stop_request`, the
/// result has only finished workloads.
[[nodiscard]] std::vector<comparison> compare_all(const selection& chosen, std::span<const scenario> all,
                                                  std::size_t jobs, bool shows_progress);

/// Packs each workload beforehand, on the requested number of cores; with less effort unless `is_asked`. An interrupt
/// leaves those that were packed before it.
void pack_offline(std::vector<comparison>& all, std::size_t jobs, bool is_asked);

/// Cell of each manager, and a manager for each cell.
struct sharing {
    std::vector<std::size_t> cell_of;         ///< cell of each manager
    std::vector<const manager_entry*> first;  ///< first manager of each cell
};

/// Assigns managers to shared cells. Cost: O(managers x log managers).
[[nodiscard]] sharing share(const selection& chosen, const scenario& load);

/// Returns `4 of 8 workloads`.
[[nodiscard]] std::string extent_of(const partial_result& result);

/// Returns the first sentence of an interrupted result.
[[nodiscard]] std::string interruption_words(const partial_result& result);

/// Returns the partial result as a JSON object.
[[nodiscard]] std::string interruption_json(const partial_result& result);

}  // namespace hbm::compare
