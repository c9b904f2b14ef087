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

TEST_CASE("a share limits a budget, and what it set aside comes back, whatever was spent meanwhile") {
    search_budget budget(103);
    {
        const budget_share share(budget, 4);
        CHECK(budget.left() == 25);
        CHECK(!budget.spend(26));
    }
    CHECK(budget.left() == 78);
    CHECK(budget.fell_short());
    const budget_share all(budget, 1);
    CHECK(budget.left() == 78);
}

static_assert([] {
    search_budget budget(2);
    return budget.spend(2) && !budget.spend(1) && budget.left() == 0;
}());

}  // namespace hbm::test::search_budget_tests
