// The managers of all combinations, as types.
#include <hbm/grid.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <string>
#include <support/managers.hpp>
#include <type_traits>
#include <vector>

namespace hbm::test::grid_tests {

using small = grid<placements<best_fit, compacting<buddy>>, evictions<never_evict, evict_lru>,
                   donations<never_donate, donate_same_size>>;
static_assert(
    std::same_as<
        small,
        manager_list<manager<best_fit>, manager<best_fit, never_evict, donate_same_size>, manager<best_fit, evict_lru>,
                     manager<best_fit, evict_lru, donate_same_size>, manager<compacting<buddy>>,
                     manager<compacting<buddy>, never_evict, donate_same_size>, manager<compacting<buddy>, evict_lru>,
                     manager<compacting<buddy>, evict_lru, donate_same_size>>>);
static_assert(small::size == 8);
static_assert(small::contains<manager<best_fit, evict_lru>> && !small::contains<manager<first_fit>>);

// Axes at the end may be left out, and may be empty.
static_assert(std::same_as<grid<placements<best_fit>>, manager_list<manager<best_fit>>>);
static_assert(std::same_as<grid<placements<>>, manager_list<>>);
static_assert(std::same_as<grid<placements<best_fit, first_fit>, evictions<>>, manager_list<>>);
static_assert(grid<placements<>>::names.empty());

// A relief policy without anything to choose from is no manager of its own.
using reliefs_of_three = grid<placements<best_fit, compacting<best_fit>>, evictions<never_evict, evict_lru>,
                              donations<never_donate>, reliefs<relieve_cheapest, evict_first, never_relieve>>;
static_assert(reliefs_of_three::size == 1 + 3 + 3 + 3);
static_assert(!reliefs_of_three::contains<manager<best_fit, never_evict, never_donate, never_relieve>>);
static_assert(reliefs_of_three::contains<manager<best_fit, evict_lru, never_donate, never_relieve>>);

template <class Manager>
struct may_move : std::bool_constant<compacts<typename Manager::placement_type>> {};
static_assert(small::only<may_move>::size == 4);
static_assert(std::same_as<small::only<may_move>::only<may_move>, small::only<may_move>>);
static_assert(std::same_as<grid<placements<best_fit>>::only<may_move>, manager_list<>>);

TEST_CASE("names and visits are in the order of the list") {
    const std::vector<std::string> names(small::names.begin(), small::names.end());
    CHECK(names.front() == "best_fit/never_evict/never_donate");
    CHECK(names[3] == "best_fit/evict_lru/donate_same_size");
    CHECK(names.back() == "compacting<buddy>/evict_lru/donate_same_size");
    std::vector<std::string> visited;
    small::for_each([&]<class Manager>() { visited.emplace_back(Manager::full_name.c_str()); });
    CHECK(visited == names);
    const auto mapped = small::map([]<class Manager>() { return std::string(Manager::full_name.c_str()); });
    CHECK(std::vector<std::string>(mapped.begin(), mapped.end()) == names);
}

TEST_CASE("each manager of a grid works") {
    reliefs_of_three::for_each([]<class Manager>() {
        Manager memory{{.name = "some", .capacity = 8 * 512}};
        const auto one = memory.allocate(512);
        REQUIRE(one);
        CHECK(memory.free(*one));
    });
}

}  // namespace hbm::test::grid_tests
