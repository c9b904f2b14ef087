#pragma once

/// Runs the conformance suite over the managers of one placement, plain and adapted, with every eviction and varying
/// donation.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/compacting.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <support/manager_suite.hpp>
#include <testing/seeds.hpp>
#include <tuple>

namespace hbm::test {

template <class Manager>
void expect_manager_conformance(std::uint64_t seeds = 200, std::uint32_t steps = 50) {
    for_each_seed(seeds, steps, [](std::uint64_t seed, std::uint32_t length) {
        return testing::conformance_manager<Manager>(seed, length);
    });
}

/// The donation of managers; `Sum` adds the numbers of placement, adaptors and eviction. Of the 240 combinations these
/// are 80, and every three policies out of the four meet in one of them.
template <std::size_t Sum>
using donation_for = std::tuple_element_t<Sum % 3, std::tuple<never_donate, donate_same_size, donate_fitting>>;

/// Checks managers of `P` with every eviction. `Sum` adds the numbers of its placement and of its adaptors.
template <placement P, std::size_t Sum>
void expect_conformance_with_every_eviction() {
    expect_manager_conformance<manager<P, never_evict, donation_for<Sum>>>();
    expect_manager_conformance<manager<P, evict_lru, donation_for<Sum + 1>>>();
    expect_manager_conformance<manager<P, evict_greedy_dual, donation_for<Sum + 2>>>();
    expect_manager_conformance<manager<P, evict_cheapest_window, donation_for<Sum + 3>>>();
}

/// Checks managers of `P` and of its adaptors. `Number` is that of the placement.
template <placement P, std::size_t Number>
void expect_conformance_of_all_managers() {
    expect_conformance_with_every_eviction<P, Number>();
    expect_conformance_with_every_eviction<bottom_reserve<P>, Number + 1>();
    expect_conformance_with_every_eviction<compacting<P>, Number + 2>();
    expect_conformance_with_every_eviction<bottom_reserve<compacting<P>>, Number + 3>();
}

}  // namespace hbm::test
