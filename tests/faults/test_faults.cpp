// Faults at every place of every call: copies that fail or throw, observers that throw, calls back, an exhausted host.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/planning/relief_policies.hpp>

#include "faults/trials.hpp"

namespace hbm::test::faults_tests {

namespace {

template <class Placement, class Eviction, class Donation, class Relief = relieve_cheapest>
using faulty = manager<Placement, Eviction, Donation, Relief, faulty_device, faulty_observer>;

fault_counts try_all_managers(bool in_children) {
    fault_counts sums;
    try_all<faulty<best_fit, never_evict, never_donate>>(sums, in_children);
    try_all<faulty<first_fit, evict_lru, donate_same_size>>(sums, in_children);
    try_all<faulty<compacting<buddy>, evict_lru, donate_fitting>>(sums, in_children);
    try_all<faulty<compacting<best_fit>, evict_greedy_dual, donate_fitting>>(sums, in_children);
    try_all<faulty<bottom_reserve<best_fit>, evict_lru, donate_fitting>>(sums, in_children);
    try_all<faulty<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting>>(sums, in_children);
    try_all<faulty<bottom_reserve<compacting<first_fit>>, evict_lru, donate_same_size, rent_or_buy>>(sums, in_children);
    return sums;
}

}  // namespace

TEST_CASE("faults: a copy that fails or throws, or an event that throws, loses nothing in any call") {
    const fault_counts sums = try_all_managers(false);
    MESSAGE(sums.managers << " managers, " << sums.operations << " operations, " << sums.pending
                          << " of them with a move that is pending; " << sums.copies << " copies failed, so that "
                          << sums.device_failures << " calls did; " << sums.exceptions << " exceptions were thrown");
    CHECK(sums.operations >= 500);
    CHECK(sums.pending >= 140);
    CHECK(sums.copies > 200);
    CHECK(sums.device_failures > 200);
    CHECK(sums.exceptions > 1000);
}

TEST_CASE("faults: a call back or an exhausted host ends the program with a message in any call") {
    const fault_counts sums = try_all_managers(true);
    MESSAGE(sums.callbacks << " calls back, " << sums.exhaustions << " allocations of the host failed");
    CHECK((sums.callbacks > 1000 || !tries_all_seeds()));
    CHECK((sums.exhaustions > 13000 || !tries_all_seeds()));
}

}  // namespace hbm::test::faults_tests
