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
#include <hbm/testing/conformance.hpp>

#include <doctest/doctest.h>

#include <string>
#include <support/own_plan.hpp>
#include <testing/seeds.hpp>

namespace hbm::test::conformance_tests {

template <placement P>
void expect_placement_conformance() {
    for_each_seed(300, 60,
                  [](std::uint64_t seed, std::uint32_t steps) { return testing::conformance<P>(seed, steps); });
}

template <placement P>
void expect_conformance_with_every_adaptor() {
    expect_placement_conformance<P>();
    expect_placement_conformance<compacting<P>>();
    expect_placement_conformance<bottom_reserve<P>>();
    expect_placement_conformance<bottom_reserve<compacting<P>>>();
    expect_placement_conformance<compacting<bottom_reserve<P, scratch_sharing::per_program>>>();
}

TEST_CASE("best_fit conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<best_fit>();
}
TEST_CASE("best_fit_lifo conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<best_fit_lifo>();
}
TEST_CASE("first_fit conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<first_fit>();
}
TEST_CASE("good_fit conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<good_fit>();
}
TEST_CASE("bfc conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<bfc>();
}
TEST_CASE("buddy conforms, with every adaptor") {
    expect_conformance_with_every_adaptor<buddy>();
}

TEST_CASE("placements that keep free memory together conform, with every adaptor") {
    expect_conformance_with_every_adaptor<free_together<best_fit>>();
    expect_placement_conformance<free_together<compacting<bottom_reserve<first_fit>>>>();
    expect_placement_conformance<free_together<basic_good_fit<std::uint64_t>>>();
    expect_placement_conformance<lifetimes_apart<free_together<bfc>>>();
}

TEST_CASE("placements that keep lifetimes apart conform, with every adaptor") {
    expect_conformance_with_every_adaptor<lifetimes_apart<best_fit>>();
    expect_placement_conformance<lifetimes_apart<bottom_reserve<first_fit>>>();
    expect_placement_conformance<lifetimes_apart<compacting<bottom_reserve<buddy>>>>();
}

TEST_CASE("placements that follow a plan conform, with every adaptor") {
    expect_conformance_with_every_adaptor<own_plan<best_fit>>();
    expect_placement_conformance<scheduled<best_fit>>();
    expect_placement_conformance<own_plan<bottom_reserve<best_fit_lifo>>>();
    expect_placement_conformance<own_plan<compacting<bottom_reserve<free_together<first_fit>>>>>();
    expect_placement_conformance<own_plan<bfc>>();
    expect_placement_conformance<own_plan<basic_good_fit<std::uint64_t>>>();
}

TEST_CASE("the wide placements conform") {
    expect_placement_conformance<basic_best_fit<std::uint64_t>>();
    expect_placement_conformance<basic_best_fit_lifo<std::uint64_t>>();
    expect_placement_conformance<basic_first_fit<std::uint64_t>>();
    expect_placement_conformance<basic_good_fit<std::uint64_t>>();
    expect_placement_conformance<basic_bfc<std::uint64_t>>();
    expect_placement_conformance<basic_buddy<std::uint64_t>>();
    expect_placement_conformance<bottom_reserve<basic_buddy<std::uint64_t>>>();
}

}  // namespace hbm::test::conformance_tests

namespace hbm::test::contract_tests {

template <class P>
concept does_everything = placement<P> && imports<P> && relocates<P> && shrinks<P> && extends<P>;

static_assert(does_everything<best_fit> && does_everything<first_fit> && does_everything<good_fit> &&
              does_everything<bfc> && does_everything<buddy>);
static_assert(!reserves<best_fit> && !compacts<best_fit>);
static_assert(reserves<bottom_reserve<buddy>> && !compacts<bottom_reserve<buddy>>);
static_assert(compacts<compacting<best_fit>> && !reserves<compacting<best_fit>>);
static_assert(compacts<bottom_reserve<compacting<best_fit>>> && reserves<bottom_reserve<compacting<best_fit>>>);
static_assert(compacts<compacting<bottom_reserve<best_fit>>> && reserves<compacting<bottom_reserve<best_fit>>>);
static_assert(gives_more<bfc> && gives_more<compacting<bfc>> && !gives_more<best_fit> && !gives_more<buddy>);
static_assert(best_fit::merges_neighbours && !buddy::merges_neighbours);

// Near misses.
struct places_a_bool : best_fit {
    using best_fit::best_fit;
    bool place(const need<std::uint32_t>&) { return false; }
};
struct is_too_narrow : best_fit {
    using quanta = std::uint16_t;
};
struct hides_its_blocks : best_fit {
    using best_fit::best_fit;
    void map() const {}
};
struct extends_silently : best_fit {
    using best_fit::best_fit;
    void extend(std::uint64_t) {}
};
static_assert(placement<extends_silently> && !extends<extends_silently>);
static_assert(!placement<int> && !placement<void*> && !placement<const best_fit>);
static_assert(!placement<places_a_bool> && !placement<is_too_narrow> && !placement<hides_its_blocks>);

TEST_CASE("a placement's name is its type as a user would write it") {
    CHECK(std::string(best_fit::name.c_str()) == "best_fit");
    CHECK(std::string(bfc::name.c_str()) == "bfc");
    CHECK(std::string(basic_buddy<std::uint64_t>::name.c_str()) == "buddy");
    CHECK(std::string(bottom_reserve<compacting<good_fit>>::name.c_str()) == "bottom_reserve<compacting<good_fit>>");
    CHECK(std::string(compacting<bottom_reserve<first_fit, scratch_sharing::per_program>>::name.c_str()) ==
          "compacting<bottom_reserve<first_fit,per_program>>");
}

TEST_CASE("bottom_reserve<buddy> keeps alignment absolute") {
    bottom_reserve<buddy> memory(64);
    REQUIRE(memory.reserve(5));
    need<std::uint32_t> asked;
    for (int i = 0; i < 3; ++i) {
        asked.length = 16;
        const block_index block = memory.place(asked);
        REQUIRE(block != no_block);
        CHECK(memory.map().offset(block) % 16 == 0);
    }
    CHECK(memory.place(asked) == no_block);  // [5, 16) is no aligned sixteen
    CHECK(memory.reservable() == 11);
    asked.length = 8;
    CHECK(memory.map().offset(memory.place(asked)) == 8);
    CHECK(memory.reservable() == 3);
    CHECK_FALSE(memory.reserve(9));
    CHECK(memory.reserve(8));
    CHECK(memory.reserve(0));
    CHECK(memory.reservable() == 8);
}

}  // namespace hbm::test::contract_tests
