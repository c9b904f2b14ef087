#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/planning/relief_policies.hpp>

#include "compare/managers/drive.hpp"
#include "compare/managers/timed/timed_managers.hpp"

// Timed managers that may move blocks.

namespace hbm::compare {

std::vector<manager_entry> timed_movers() {
    using runtime = bottom_reserve<compacting<best_fit>>;
    return {entry_of<manager<compacting<best_fit_lifo>>, false>(),
            entry_of<manager<runtime>, false>(),
            entry_of<manager<compacting<best_fit_lifo>, evict_lru, donate_same_size>, false>(),
            entry_of<manager<runtime, evict_lru, donate_same_size>, false>(),
            entry_of<manager<runtime, evict_greedy_dual, donate_same_size>, false>(),
            entry_of<manager<runtime, evict_cheapest_window, donate_fitting>, false>(),
            entry_of<manager<runtime, evict_lru, donate_same_size, compact_first>, false>(),
            entry_of<manager<runtime, evict_lru, donate_same_size, evict_first>, false>(),
            entry_of<manager<runtime, evict_lru, donate_same_size, rent_or_buy>, false>()};
}

}  // namespace hbm::compare
