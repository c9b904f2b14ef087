// Managers that people know by name: rows of their own name, and the same manager as under its long name.

#include <hbm/donation/donate_fitting.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "compare/managers/chosen_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/managers/shipped.hpp"

namespace hbm::test::manager_names_tests {

using namespace hbm::compare;

TEST_CASE("named managers are shipped managers under a second name: the same functions") {
    const manager_entries all = shipped_managers();
    for (const named_manager& item : named_managers) {
        const auto find = [&](std::string_view name) {
            return std::find_if(all.begin(), all.end(), [&](const manager_entry& entry) { return entry.name == name; });
        };
        const auto known = find(item.name);
        const auto meant = find(item.stands_for);
        REQUIRE((known != all.end() && meant != all.end()));
        CHECK((known->make == meant->make && known->choices == meant->choices));
        CHECK(same_manager(*known, *meant));
        CHECK(known->full_name == item.name);
        CHECK(std::count_if(all.begin(), all.end(),
                            [&](const manager_entry& entry) { return same_manager(entry, *known); }) == 2);
        CHECK(find_named(item.name) == &item);
    }
    CHECK(find_named("best_fit") == nullptr);
    manager_entry own = all.front();
    own.shipped = false;
    CHECK_FALSE(same_manager(own, all.front()));
}

namespace {

std::string type_of(std::string_view name, bool is_wide = false) {
    const auto match = chosen_manager(name);
    REQUIRE(match);
    return hbm::compare::type_text(*match, is_wide);
}

/// Compares the text of a type with what is written for it, and with what the type itself is called.
template <class Manager>
void check_type(std::string_view written) {
    CHECK(type_of({Manager::name.c_str(), Manager::name.size()}) == written);
}

}  // namespace

#define CHECK_TYPE(...) check_type<__VA_ARGS__>(#__VA_ARGS__)

TEST_CASE("the type to paste compiles and is the manager of that name") {
    CHECK_TYPE(hbm::manager<hbm::best_fit>);
    CHECK_TYPE(hbm::manager<hbm::buddy>);
    CHECK_TYPE(hbm::manager<hbm::bfc, hbm::never_evict, hbm::donate_same_size>);
    CHECK_TYPE(hbm::manager<hbm::compacting<hbm::first_fit>>);
    CHECK_TYPE(hbm::manager<hbm::best_fit_lifo, hbm::evict_greedy_dual>);
    CHECK_TYPE(hbm::manager<hbm::good_fit, hbm::never_evict, hbm::donate_fitting>);
    CHECK_TYPE(hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_cheapest_window,
                            hbm::donate_same_size>);
    CHECK_TYPE(hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_lru, hbm::donate_same_size,
                            hbm::rent_or_buy>);
    CHECK_TYPE(hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>, hbm::evict_lru, hbm::donate_same_size,
                            hbm::never_relieve>);
    CHECK_TYPE(hbm::manager<hbm::compacting<hbm::lifetimes_apart<hbm::best_fit>>>);
    CHECK_TYPE(hbm::manager<hbm::free_together<hbm::best_fit>>);
}

TEST_CASE("every shipped type is written with nothing but names of the library") {
    for (const hbm::compare::manager_entry& manager : hbm::compare::shipped_managers()) {
        const std::string text = hbm::compare::type_text(manager, false);
        CAPTURE(text);
        CHECK(text.starts_with("hbm::"));
        CHECK(std::count(text.begin(), text.end(), '<') == std::count(text.begin(), text.end(), '>'));
        CHECK(text.find('/') == std::string::npos);
    }
}

}  // namespace hbm::test::manager_names_tests
