#pragma once

/// Runs the conformance suite over every eviction x donation of one placement.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/donation/donate_same_size.hpp>
#include <hbm/donation/never_donate.hpp>
#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/eviction/evict_greedy_dual.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/testing/conformance.hpp>

#include <doctest/doctest.h>

#include <testing/seeds.hpp>

namespace hbm::test {

template <class Manager>
void expect_manager_conformance(std::uint64_t seeds = 200, std::uint32_t steps = 50) {
    for_each_seed(seeds, steps, [](std::uint64_t seed, std::uint32_t length) {
        return testing::conformance_manager<Manager>(seed, length);
    });
}

template <placement P, eviction E>
void expect_conformance_with_every_donation() {
    expect_manager_conformance<manager<P, E, never_donate>>();
    expect_manager_conformance<manager<P, E, donate_same_size>>();
    expect_manager_conformance<manager<P, E, donate_fitting>>();
}

template <placement P>
void expect_conformance_with_every_eviction_and_donation() {
    expect_conformance_with_every_donation<P, never_evict>();
    expect_conformance_with_every_donation<P, evict_lru>();
    expect_conformance_with_every_donation<P, evict_greedy_dual>();
    expect_conformance_with_every_donation<P, evict_cheapest_window>();
}

}  // namespace hbm::test
