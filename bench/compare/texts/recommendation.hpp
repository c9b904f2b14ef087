#pragma once
/// The manager to take for some workloads and their memories, and the reasons.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/cells/grid.hpp"

namespace hbm::compare {

/// A manager over all workloads that any manager can complete.
struct candidate {
    const manager_entry* who = nullptr;
    std::size_t completed = 0;     ///< how many of these workloads
    std::uint64_t bytes = 0;       ///< the memory of those that it completes, in all: see `recommend`
    std::uint64_t cost_us = 0;     ///< modelled microseconds of moves and reloads, in all
    std::uint64_t excess_ppm = 0;  ///< on its worst workload, what its memory is above the least among managers that
                                   ///< complete it and cost no more there, in millionths
};

/// The recommended managers. Empty texts and null managers if no manager completes anything.
struct recommendation {
    candidate best;
    candidate simpler;                   ///< of the managers with fewer choices that complete as much; null if none
    std::size_t workloads = 0;           ///< how many can be completed at all
    std::size_t taking_part = 0;         ///< managers, without second names
    std::size_t unranked = 0;            ///< workloads in unlimited memory, where others have minimum capacities
    bool is_sweep = false;               ///< the workloads are points of a sweep
    std::string type;                    ///< C++ to paste after `#include <hbm/hbm.hpp>`
    std::vector<std::string> sentences;  ///< three: what to take, why, and what the simpler manager costs
};

/// The rule, in this order: completes most workloads; nowhere needs over 1 % more memory than a manager that costs no
/// more there; least memory, as far as it differs by over 1 %; least modelled time for moves and reloads; fewest
/// choices; first in list order. Memory is the minimum capacity where that was searched, in unlimited memory the
/// footprint, and in a given memory the whole capacity, which is the same for all. A footprint and a minimum capacity
/// are never added or ranked: where some workloads have the one and some the other, those in unlimited memory decide
/// nothing, and the second sentence says so. O(managers^2 x workloads).
[[nodiscard]] recommendation recommend(const std::vector<comparison>& of, const selection& who);

/// The sentences and the type, as text for people.
[[nodiscard]] std::string recommendation_text(const recommendation& made);

/// Returns the recommendation as a JSON object.
[[nodiscard]] std::string recommendation_json(const recommendation& made);

/// Three sentences for people. `all`: the managers that complete something, in list order; `impossible`: how many
/// workloads no manager can complete. O(managers).
[[nodiscard]] std::vector<std::string>
recommendation_sentences(const recommendation& made, const std::vector<candidate>& all, std::size_t impossible);

}  // namespace hbm::compare
