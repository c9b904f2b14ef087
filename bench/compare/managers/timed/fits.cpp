#include <hbm/donation/donation.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>

#include "compare/managers/drive.hpp"
#include "compare/managers/timed/timed_managers.hpp"

// Timed managers that do not move blocks.

namespace hbm::compare {

std::vector<manager_entry> timed_fits() {
    return {entry_of<manager<bfc, never_evict, donate_same_size>, false>(),
            entry_of<manager<best_fit>, false>(),
            entry_of<manager<best_fit_lifo>, false>(),
            entry_of<manager<first_fit>, false>(),
            entry_of<manager<good_fit>, false>(),
            entry_of<manager<buddy>, false>(),
            entry_of<manager<bottom_reserve<best_fit_lifo>>, false>(),
            entry_of<manager<best_fit_lifo, never_evict, donate_same_size>, false>(),
            entry_of<manager<best_fit_lifo, evict_lru>, false>(),
            entry_of<manager<best_fit_lifo, evict_lru, donate_same_size>, false>()};
}

}  // namespace hbm::compare
