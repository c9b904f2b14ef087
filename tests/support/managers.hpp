#pragma once

/// The managers that many tests use, and the half of the library below them, which plans and carries out. They are
/// compiled once, in managers.cpp: a test that includes this header compiles only its own lines. A program of many
/// files does the same.

#include <hbm/compact.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>

/// `extern template` here, `template` in managers.cpp.
#ifndef HBM_TEST_TEMPLATE
#define HBM_TEST_TEMPLATE extern template
#endif

namespace hbm::inline v0 {

#define HBM_TEST_PLACEMENT(...)                                                                                        \
    HBM_TEST_TEMPLATE struct memory_state<__VA_ARGS__>;                                                                \
    HBM_TEST_TEMPLATE class executor<__VA_ARGS__>;                                                                     \
    HBM_TEST_TEMPLATE class planning_transaction<__VA_ARGS__>;                                                         \
    HBM_TEST_TEMPLATE class manager<__VA_ARGS__>

HBM_TEST_PLACEMENT(best_fit);
HBM_TEST_PLACEMENT(first_fit);
HBM_TEST_PLACEMENT(good_fit);
HBM_TEST_PLACEMENT(buddy);
HBM_TEST_PLACEMENT(bottom_reserve<best_fit>);
HBM_TEST_PLACEMENT(compacting<best_fit>);
HBM_TEST_PLACEMENT(bottom_reserve<compacting<best_fit>>);
HBM_TEST_TEMPLATE class manager<best_fit, evict_lru>;
HBM_TEST_TEMPLATE class manager<best_fit, never_evict, donate_same_size>;
HBM_TEST_TEMPLATE class manager<compacting<best_fit>, evict_lru>;
HBM_TEST_TEMPLATE class manager<bottom_reserve<compacting<best_fit>>, evict_lru>;
HBM_TEST_TEMPLATE class manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;
HBM_TEST_TEMPLATE class manager<bottom_reserve<compacting<best_fit>>, evict_cheapest_window, donate_same_size>;

#undef HBM_TEST_PLACEMENT

}  // namespace hbm::inline v0
