// Faults at every place of every call of managers with streams, late copies and plans: copies that fail or throw,
// observers that throw, calls back, an exhausted host.
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/placement/first_fit.hpp>

#include "faults/trials.hpp"

namespace hbm::test::stream_faults_tests {

namespace {

fault_counts try_all_managers(bool in_children) {
    fault_counts sums;
    try_all<manager<streams<compacting<best_fit>, 2>, evict_lru, donate_fitting, relieve_cheapest, faulty_device,
                    unaudited_observer>>(sums, in_children);
    try_all<manager<streams<bottom_reserve<compacting<first_fit>>, 2>, evict_lru, donate_same_size, relieve_cheapest,
                    faulty_late_device, unaudited_observer>>(sums, in_children);
    try_all<manager<compacting<scheduled<best_fit>>, evict_lru, donate_fitting, relieve_cheapest, faulty_device,
                    faulty_observer>>(sums, in_children);
    return sums;
}

}  // namespace

TEST_CASE("stream faults: a copy that fails or throws, or an event that throws, loses nothing in any call") {
    const fault_counts sums = try_all_managers(false);
    MESSAGE(sums.managers << " managers, " << sums.operations << " operations, " << sums.pending
                          << " of them with a move that is pending; " << sums.copies << " copies failed, so that "
                          << sums.device_failures << " calls did; " << sums.exceptions << " exceptions were thrown");
    CHECK(sums.operations >= 430);
    CHECK(sums.pending >= 200);
    CHECK(sums.copies > 500);
    CHECK(sums.device_failures > 300);
    CHECK(sums.exceptions > 1100);
}

TEST_CASE("stream faults: a call back or an exhausted host ends the program with a message in any call") {
    const fault_counts sums = try_all_managers(true);
    MESSAGE(sums.callbacks << " calls back, " << sums.exhaustions << " allocations of the host failed");
    CHECK((sums.callbacks > 1100 || !tries_all_seeds()));
    CHECK((sums.exhaustions > 7500 || !tries_all_seeds()));
}

}  // namespace hbm::test::stream_faults_tests
