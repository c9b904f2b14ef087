#include <hbm/core/search_budget.hpp>

#include <doctest/doctest.h>

namespace hbm::test::search_budget_tests {

TEST_CASE("a budget never gives more than it has, and what falls short takes the rest") {
    search_budget budget(10);
    CHECK(budget.spend(4));
    CHECK(budget.spend(0));
    CHECK(budget.left() == 6);
    CHECK(!budget.fell_short());
    CHECK(!budget.spend(7));
    CHECK(budget.left() == 0);
    CHECK(budget.fell_short());
    CHECK(budget.spend(0));
    CHECK(!budget.spend(~std::uint64_t{0}));
    CHECK(!search_budget{}.spend(1));
}

TEST_CASE("what is set aside comes back, whatever was spent meanwhile") {
    search_budget budget(100);
    const std::uint64_t aside = budget.set_aside_all_but(25);
    CHECK(aside == 75);
    CHECK(!budget.spend(26));
    budget.give_back(aside);
    CHECK(budget.left() == 75);
    CHECK(budget.fell_short());
    CHECK(budget.set_aside_all_but(1000) == 0);
    CHECK(budget.left() == 75);
}

static_assert([] {
    search_budget budget(2);
    return budget.spend(2) && !budget.spend(1) && budget.left() == 0;
}());

}  // namespace hbm::test::search_budget_tests
