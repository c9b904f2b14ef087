#include <hbm/device/host_device.hpp>
#include <hbm/events/event_log.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/relief/compact_first.hpp>
#include <hbm/relief/evict_first.hpp>
#include <hbm/relief/rent_or_buy.hpp>

#include <doctest/doctest.h>

#include <manager/conformance_support.hpp>

namespace hbm::test {

TEST_CASE("managers with wide quanta conform") {
    expect_manager_conformance<manager<basic_best_fit<std::uint64_t>, evict_lru, donate_fitting>>();
    expect_manager_conformance<
        manager<bottom_reserve<compacting<basic_good_fit<std::uint64_t>>>, evict_cheapest_window, donate_fitting>>();
    expect_manager_conformance<manager<compacting<basic_buddy<std::uint64_t>>, evict_greedy_dual, donate_same_size>>();
}

TEST_CASE("managers that keep scratch per program conform") {
    expect_manager_conformance<
        manager<bottom_reserve<compacting<best_fit>, scratch_sharing::per_program>, evict_lru, donate_fitting>>();
    expect_manager_conformance<
        manager<bottom_reserve<first_fit, scratch_sharing::per_program>, evict_cheapest_window>>();
    expect_manager_conformance<
        manager<bottom_reserve<basic_buddy<std::uint64_t>, scratch_sharing::per_program>, evict_greedy_dual>>();
}

TEST_CASE("every byte of every buffer survives every move") {
    using moving = compacting<best_fit>;
    expect_manager_conformance<manager<moving, never_evict, donate_fitting, relieve_cheapest, host_device>>(400);
    expect_manager_conformance<manager<compacting<buddy>, evict_lru, donate_fitting, compact_first, host_device>>(400);
    expect_manager_conformance<manager<bottom_reserve<compacting<first_fit>>, evict_cheapest_window, donate_fitting,
                                       evict_first, host_device>>(400);
    expect_manager_conformance<
        manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting, rent_or_buy, host_device>>(400);
}

TEST_CASE("managers without relief conform") {
    expect_manager_conformance<manager<compacting<best_fit>, evict_lru, donate_fitting, never_relieve>>();
}

TEST_CASE("compacting<bottom_reserve<P>> and bottom_reserve<compacting<P>> do the same") {
    using outer = manager<compacting<bottom_reserve<best_fit>>, evict_lru, donate_fitting>;
    using inner = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting>;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        memory_spec spec;
        spec.capacity = (10 + seed % 60) * spec.quantum;
        testing::manager_under_test<outer> outside(spec, 0);
        testing::manager_under_test<inner> inside(spec, 0);
        testing::manager_story first(outside, spec, 0, seed);
        testing::manager_story second(inside, spec, 0, seed);
        REQUIRE(first.look() == nullptr);
        REQUIRE(second.look() == nullptr);
        for (int step = 0; step < 40; ++step) {
            REQUIRE(first.step() == nullptr);
            REQUIRE(second.step() == nullptr);
            testing::snapshot left;
            testing::snapshot right;
            outside.look(left);
            inside.look(right);
            REQUIRE(left.size() == right.size());
            for (std::size_t i = 0; i < left.size(); ++i) REQUIRE(left[i].where == right[i].where);
            REQUIRE(outside.sums().done == inside.sums().done);
        }
    }
}

}  // namespace hbm::test
