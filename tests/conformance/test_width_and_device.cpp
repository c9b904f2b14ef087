#include <hbm/device/host_device.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/compacting.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <conformance/conformance_support.hpp>

namespace hbm::test::width_and_device_tests {

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

static bool same(const block_view& one, const block_view& other) {
    return one.kind == other.kind && one.where == other.where && one.granted == other.granted &&
           one.pins == other.pins && one.owner == other.owner && one.handle.index == other.handle.index &&
           one.handle.generation == other.handle.generation;
}

// Two managers do the same at random: the same blocks with the same handles, the same relief and the same totals.
template <class First, class Second>
void expect_the_same(std::uint64_t seeds) {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        CAPTURE(seed);
        memory_spec spec;
        spec.capacity = (10 + seed % 60) * spec.quantum;
        testing::manager_under_test<First> one(spec, 0);
        testing::manager_under_test<Second> other(spec, 0);
        testing::manager_story first(one, spec, 0, seed);
        testing::manager_story second(other, spec, 0, seed);
        REQUIRE(first.look() == nullptr);
        REQUIRE(second.look() == nullptr);
        for (int step = 0; step < 40; ++step) {
            REQUIRE(first.step() == nullptr);
            REQUIRE(second.step() == nullptr);
            testing::snapshot left;
            testing::snapshot right;
            one.look(left);
            other.look(right);
            REQUIRE(left.size() == right.size());
            for (std::size_t i = 0; i < left.size(); ++i) REQUIRE(same(left[i], right[i]));
            REQUIRE(one.sums().done == other.sums().done);
        }
    }
}
template <class P, scratch_sharing Sharing = scratch_sharing::shared>
void expect_both_orders_the_same() {
    CAPTURE(P::name.c_str());
    expect_the_same<manager<compacting<bottom_reserve<P, Sharing>>, evict_lru, donate_fitting>,
                    manager<bottom_reserve<compacting<P>, Sharing>, evict_lru, donate_fitting>>(100);
}

TEST_CASE("compacting<bottom_reserve<P>> and bottom_reserve<compacting<P>> do the same") {
    expect_both_orders_the_same<best_fit>();
    expect_both_orders_the_same<first_fit, scratch_sharing::per_program>();
    expect_both_orders_the_same<good_fit>();
    expect_both_orders_the_same<buddy>();
}

}  // namespace hbm::test::width_and_device_tests
