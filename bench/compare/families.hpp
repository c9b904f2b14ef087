#pragma once

/// A placement and what can be made of it: the portions of the shipped managers.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/eviction/evict_greedy_dual.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/relief/compact_first.hpp>
#include <hbm/relief/evict_first.hpp>
#include <hbm/relief/never_relieve.hpp>
#include <hbm/relief/rent_or_buy.hpp>

#include <cstdint>
#include <type_traits>

#include "compare/drive.hpp"
#include "compare/shipped.hpp"

namespace hbm::compare {

/// Adds a placement with every eviction and donation. Failures are explained over 64-bit quanta, for all capacities.
template <class Placement>
void enlist(manager_entries& into) {
    constexpr bool explains = std::is_same_v<typename Placement::quanta, std::uint64_t>;
    const auto add = [&]<class Eviction>(Eviction) {
        into.push_back(entry_of<manager<Placement, Eviction, never_donate>, explains>());
        into.push_back(entry_of<manager<Placement, Eviction, donate_same_size>, explains>());
        into.push_back(entry_of<manager<Placement, Eviction, donate_fitting>, explains>());
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

/// A placement without adaptors: a baseline, as it is known.
template <class Placement>
[[nodiscard]] manager_entries bare_family() {
    manager_entries made;
    enlist<Placement>(made);
    return made;
}

/// A plain family with scratch reserved at the bottom.
template <class Placement>
[[nodiscard]] manager_entries reserving_family() {
    manager_entries made;
    enlist<bottom_reserve<Placement>>(made);
    enlist<bottom_reserve<compacting<Placement>>>(made);
    return made;
}

/// What is compared for one thing: the manager that is known of the TPU runtime under the other orders of relief,
/// beside which the default is compared, and best fit from the end of the hole that leaves free memory together.
template <class Quanta>
[[nodiscard]] manager_entries single_managers() {
    constexpr bool explains = std::is_same_v<Quanta, std::uint64_t>;
    using runtime = bottom_reserve<compacting<basic_best_fit<Quanta>>>;
    using together = compacting<free_together<basic_best_fit<Quanta>>>;
    return {entry_of<manager<runtime, evict_lru, donate_same_size, compact_first>, explains>(),
            entry_of<manager<runtime, evict_lru, donate_same_size, evict_first>, explains>(),
            entry_of<manager<runtime, evict_lru, donate_same_size, rent_or_buy>, explains>(),
            entry_of<manager<runtime, evict_lru, donate_same_size, never_relieve>, explains>(),
            entry_of<manager<together, never_evict, never_donate>, explains>(),
            entry_of<manager<together, evict_lru, donate_same_size>, explains>()};
}

/// Both, for the width that is seldom needed.
template <class Placement>
[[nodiscard]] manager_entries whole_family() {
    manager_entries made = plain_family<Placement>();
    for (const manager_entry& each : reserving_family<Placement>()) made.push_back(each);
    return made;
}

}  // namespace hbm::compare
