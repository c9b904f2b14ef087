#pragma once

/// The shipped managers: every placement, plain and adapted, with every eviction and donation. Compiled in portions, a family of
/// placements and a width each.

#include "compare/manager_entry.hpp"

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/eviction/evict_greedy_dual.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>

#include <vector>

namespace hbm::compare {

using manager_entries = std::vector<manager_entry>;

/// Adds a placement with every eviction and donation.
template <class Placement>
void enlist(manager_entries& into) {
    const auto add = [&]<class Eviction>(Eviction) {
        into.push_back(entry<manager<Placement, Eviction, never_donate>>());
        into.push_back(entry<manager<Placement, Eviction, donate_same_size>>());
        into.push_back(entry<manager<Placement, Eviction, donate_fitting>>());
    };
    add(never_evict{});
    add(evict_lru{});
    add(evict_greedy_dual{});
    add(evict_cheapest_window{});
}

/// A placement that puts scratch where buffers go, and the same with the permission to move.
template <class Placement>
[[nodiscard]] manager_entries plain_family() {
    manager_entries made;
    enlist<Placement>(made);
    enlist<compacting<Placement>>(made);
    return made;
}

/// The same with scratch reserved at the bottom.
template <class Placement>
[[nodiscard]] manager_entries reserving_family() {
    manager_entries made;
    enlist<bottom_reserve<Placement>>(made);
    enlist<bottom_reserve<compacting<Placement>>>(made);
    return made;
}

/// Both, for the width that is seldom needed.
template <class Placement>
[[nodiscard]] manager_entries whole_family() {
    manager_entries made = plain_family<Placement>();
    for (const manager_entry& each : reserving_family<Placement>()) made.push_back(each);
    return made;
}

manager_entries shipped_best_fit();
manager_entries shipped_best_fit_reserving();
manager_entries shipped_best_fit_wide();
manager_entries shipped_first_fit();
manager_entries shipped_first_fit_reserving();
manager_entries shipped_first_fit_wide();
manager_entries shipped_good_fit();
manager_entries shipped_good_fit_reserving();
manager_entries shipped_good_fit_wide();
manager_entries shipped_buddy();
manager_entries shipped_buddy_reserving();
manager_entries shipped_buddy_wide();

/// All shipped managers, each with both widths, in the order of the list.
[[nodiscard]] manager_entries shipped_managers();

}  // namespace hbm::compare
