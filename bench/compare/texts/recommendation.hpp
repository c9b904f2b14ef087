#pragma once
/// Recommended manager for some workloads and their memories, and the reasons.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// Manager over all workloads that any manager can complete.
struct candidate {
    const manager_entry* who = nullptr;
    std::size_t completed = 0;     ///< number of these workloads that it completes
    std::uint64_t bytes = 0;       ///< memory of these in all: see `recommend`
    std::uint64_t cost_us = 0;     ///< modelled microseconds of moves and reloads, in all
    std::uint64_t excess_ppm = 0;  ///< worst excess of its memory on a workload, in millionths, over the least of
                                   ///< managers that complete it and cost no more there
    std::vector<std::optional<std::uint64_t>> needs = {};  ///< memory on each of these; empty where it fails
};

/// Recommended managers. Empty texts and null managers if no manager completes anything.
struct recommendation {
    candidate best;
    candidate simpler;            ///< manager with fewer choices that completes as much; null if there is none
    std::size_t workloads = 0;    ///< number of workloads that can be completed at all
    std::size_t taking_part = 0;  ///< number of managers, without second names
    std::size_t unranked = 0;     ///< number of workloads in unlimited memory, if others have minimum capacities
    std::string type;             ///< C++ to paste after `#include <hbm/hbm.hpp>`
    /// Sentences: the manager to take, the reason, its cost, and the cost of the simpler one. Three without a manager.
    std::vector<std::string> sentences;
    std::vector<candidate> all;  ///< managers that complete something, in list order, without second names
    std::vector<const manager_entry*> equals;  ///< managers that need as much as the best, within 2 %
};

/// Recommends a manager by these rules, in this order:
/// - completes most workloads;
/// - on no workload needs over 2 % more memory than a manager that costs no more there;
/// - least memory, if it differs by over 2 %;
/// - least modelled time for moves and reloads;
/// - fewest choices;
/// - first in list order.
///
/// Memory is the minimum capacity if that was searched. In unlimited memory it is the footprint, in a given memory the
/// whole capacity, which is the same for all. Footprints and minimum capacities
/// are never added or ranked. If the workloads have both, those in unlimited memory do not count, and the second
/// sentence states it.
/// Cost: O(managers^2 x workloads).
[[nodiscard]] recommendation recommend(const std::vector<comparison>& all, const selection& chosen);

/// Returns the managers without second names, the best first: the recommended one, then those that complete most, then
/// those that need least memory, then those that cost least.
/// Cost: O(managers^2).
[[nodiscard]] std::vector<std::size_t> ranked_managers(const selection& chosen, const recommendation& best);

/// Returns the sentences of a recommendation without them. `impossible`: the number of workloads that no manager can
/// complete.
/// Cost: O(managers).
[[nodiscard]] std::vector<std::string> recommendation_sentences(const recommendation& advice, std::size_t impossible);

}  // namespace hbm::compare
