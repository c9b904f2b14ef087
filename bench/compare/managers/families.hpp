#pragma once

/// The shipped managers in families of placements. `for_each<Quanta>(add)` calls `add.operator()<Placement, Eviction,
/// Donation, Relief>()` for each manager of a family, in the order of the list.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/eviction/evict_greedy_dual.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/placement/lifetimes_learned.hpp>
#include <hbm/relief/compact_first.hpp>
#include <hbm/relief/evict_first.hpp>
#include <hbm/relief/never_relieve.hpp>
#include <hbm/relief/relieve_cheapest.hpp>
#include <hbm/relief/rent_or_buy.hpp>

#include "compare/managers/shipped.hpp"

namespace hbm::compare {

namespace detail {

template <class Placement, class Eviction, class Add>
void for_each_donation(Add add) {
    add.template operator()<Placement, Eviction, never_donate, relieve_cheapest>();
    add.template operator()<Placement, Eviction, donate_same_size, relieve_cheapest>();
    add.template operator()<Placement, Eviction, donate_fitting, relieve_cheapest>();
}

/// A placement with every eviction and donation policy.
template <class Placement, class Add>
void for_each_policy(Add add) {
    for_each_donation<Placement, never_evict>(add);
    for_each_donation<Placement, evict_lru>(add);
    for_each_donation<Placement, evict_greedy_dual>(add);
    for_each_donation<Placement, evict_cheapest_window>(add);
}

/// A placement that places scratch like buffers, the same with scratch reserved at the bottom, and both with the
/// permission to move blocks.
template <class Placement, class Add>
void for_each_adaptor(Add add) {
    for_each_policy<Placement>(add);
    for_each_policy<compacting<Placement>>(add);
    for_each_policy<bottom_reserve<Placement>>(add);
    for_each_policy<bottom_reserve<compacting<Placement>>>(add);
}

/// An adaptor that knows or learns something of blocks: alone, with the permission to move blocks, and combined as in
/// `tpu::runtime_memory`.
template <class Placement, class Add>
void for_each_use(Add add) {
    add.template operator()<Placement, never_evict, never_donate, relieve_cheapest>();
    add.template operator()<compacting<Placement>, never_evict, never_donate, relieve_cheapest>();
    add.template operator()<compacting<Placement>, evict_lru, donate_same_size, relieve_cheapest>();
    add.template operator()<bottom_reserve<compacting<Placement>>, evict_lru, donate_same_size, relieve_cheapest>();
}

}  // namespace detail

/// The exact fits.
struct best_fits {
    template <class Quanta, class Add>
    static void for_each(Add add) {
        detail::for_each_adaptor<basic_best_fit<Quanta>>(add);
        detail::for_each_adaptor<basic_best_fit_lifo<Quanta>>(add);
    }
};

/// The fits that do not look for the smallest hole.
struct other_fits {
    template <class Quanta, class Add>
    static void for_each(Add add) {
        detail::for_each_adaptor<basic_first_fit<Quanta>>(add);
        detail::for_each_adaptor<basic_good_fit<Quanta>>(add);
    }
};

/// Buddy; bfc without adaptors, as a baseline; and managers that differ in a single choice: `tpu::runtime_memory` with
/// each relief policy, and best fit with the adaptors that know or learn something of blocks.
struct other_placements {
    template <class Quanta, class Add>
    static void for_each(Add add) {
        detail::for_each_adaptor<basic_buddy<Quanta>>(add);
        detail::for_each_policy<basic_bfc<Quanta>>(add);
        using best = basic_best_fit<Quanta>;
        using runtime = bottom_reserve<compacting<best>>;
        add.template operator()<runtime, evict_lru, donate_same_size, compact_first>();
        add.template operator()<runtime, evict_lru, donate_same_size, evict_first>();
        add.template operator()<runtime, evict_lru, donate_same_size, rent_or_buy>();
        add.template operator()<runtime, evict_lru, donate_same_size, never_relieve>();
        detail::for_each_use<free_together<best>>(add);
        detail::for_each_use<lifetimes_apart<best>>(add);
        detail::for_each_use<lifetimes_learned<lifetimes_apart<best>>>(add);
    }
};

}  // namespace hbm::compare
