#pragma once

#include <hbm/c/registered_manager.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace hbm::inline v0::c_face {

using tpu_placement = hbm::bottom_reserve<hbm::compacting<hbm::basic_best_fit_lifo<std::uint64_t>>>;

// The placements of runtimes, and the two that others are usually measured against; all are over 64-bit quanta. All
// take donations: a run that donates nothing does not depend on that. At -O2 `first_fit` would add 21 KB, `best_fit`
// without donation 34 KB, and `compacting<buddy>/evict_lru/donate_same_size`, whose abilities are others, 71 KB.
inline constexpr listed_manager managers[] = {
    listed<tpu_placement, hbm::evict_cheapest_window, hbm::donate_same_size>("tpu"),
    listed<tpu_placement, hbm::evict_lru, hbm::donate_same_size>("tpu::runtime_memory"),
    listed<hbm::basic_bfc<std::uint64_t>, hbm::never_evict, hbm::donate_same_size>("xla_bfc"),
    listed<hbm::basic_best_fit<std::uint64_t>, hbm::never_evict, hbm::donate_same_size>("best_fit"),
    listed<hbm::basic_buddy<std::uint64_t>, hbm::never_evict, hbm::donate_same_size>("buddy"),
};

/// Returns the manager `at` of all: those of the table, then those registered, latest first; null after the last.
[[nodiscard]] inline const listed_manager* find_manager(std::size_t at) noexcept {
    return at < std::size(managers) ? &managers[at] : registered_manager::find(at - std::size(managers));
}

}  // namespace hbm::inline v0::c_face
