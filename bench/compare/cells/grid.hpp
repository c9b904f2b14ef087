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

/// Workload under all selected managers. Managers that cannot differ on it share a cell.
struct comparison {
    const scenario* in = nullptr;
    std::vector<cell> cells;
    std::vector<std::size_t> cell_of;             ///< index into `cells` of each manager
    std::optional<offline_figures> offline = {};  ///< memory of the offline packing, if requested and possible
    bool is_packed = false;                       ///< true if the packing was requested, even if `offline` is empty
    bool is_packed_briefly = false;               ///< true if the packing was not requested explicitly: less effort

    [[nodiscard]] const trace::figures& of(std::size_t manager) const { return cells[cell_of[manager]].found; }
};

/// Replays everything on `jobs` cores (0: all); the result is the same for any number. After a `stop_request`, the
/// result has only finished workloads.
[[nodiscard]] std::vector<comparison> compare_all(const selection& chosen, std::span<const scenario> all,
                                                  std::size_t jobs, bool shows_progress);

/// Cell of each manager, and a manager for each cell.
struct sharing {
    std::vector<std::size_t> cell_of;         ///< cell of each manager
    std::vector<const manager_entry*> first;  ///< first manager of each cell
};

/// Assigns managers to shared cells. Cost: O(managers x log managers).
[[nodiscard]] sharing share(const selection& chosen, const scenario& load);

/// Finished part of an interrupted comparison.
struct partial_result {
    std::size_t finished = 0;
    std::size_t all = 0;
};

/// Returns `4 of 8 workloads`.
[[nodiscard]] std::string extent_of(const partial_result& result);

/// Returns the first sentence of an interrupted result.
[[nodiscard]] std::string interruption_words(const partial_result& result);

/// Returns the partial result as a JSON object.
[[nodiscard]] std::string interruption_json(const partial_result& result);

}  // namespace hbm::compare
