#pragma once

#include <hbm/c/registered_manager.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/donation/never_donate.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>

#include <cstddef>
#include <iterator>

namespace hbm::c_face {

using tpu_placement = hbm::bottom_reserve<hbm::compacting<hbm::best_fit_lifo>>;

// Each further placement adds seconds to the compile time; each further manager of a placement adds less.
inline constexpr listed_manager managers[] = {
    listed<hbm::best_fit>(),
    listed<hbm::best_fit_lifo>(),
    listed<hbm::first_fit>(),
    listed<hbm::good_fit>(),
    listed<hbm::buddy>(),
    listed<hbm::bfc, hbm::never_evict, hbm::donate_same_size>("xla_bfc"),
    listed<tpu_placement, hbm::evict_cheapest_window>(),
    listed<tpu_placement, hbm::evict_cheapest_window, hbm::donate_same_size>("tpu"),
    listed<tpu_placement, hbm::evict_lru, hbm::donate_same_size>("tpu::runtime_memory"),
};

/// Returns the manager `at` of all: those of the table, then those registered, latest first; null after the last.
[[nodiscard]] inline const listed_manager* find_manager(std::size_t at) noexcept {
    return at < std::size(managers) ? &managers[at] : registered_manager::find(at - std::size(managers));
}

}  // namespace hbm::c_face
