#include <hbm/index/number_set.hpp>

#include <doctest/doctest.h>

#include <iterator>
#include <set>

namespace hbm::test {

TEST_CASE("a number set finds its neighbours as a plain set does") {
    for (const unsigned limit : {1u, 63u, 64u, 65u, 1920u, 4096u, 4097u, 20000u, 262144u}) {
        CAPTURE(limit);
        number_set numbers(limit);
        std::set<unsigned> plain;
        CHECK(numbers.largest() == number_set::none);
        CHECK(numbers.at_least(0) == number_set::none);
        CHECK(numbers.above(limit - 1) == number_set::none);
        CHECK(numbers.below(0) == number_set::none);
        for (unsigned i = 0; i < 4000; ++i) {
            const unsigned number = i % 5 == 0 ? i % limit : i * 7919u % limit;
            if (i % 3 == 2) {
                numbers.erase(number), plain.erase(number);
            } else if (i % 7 == 3) {
                numbers.erase_if(number, i % 2 == 0);
                if (i % 2 == 0) plain.erase(number);
            } else {
                numbers.insert(number), plain.insert(number);
            }
            const unsigned from = i * 31u % limit;
            const auto next = plain.lower_bound(from);
            const auto above = plain.upper_bound(from);
            const auto value = [&](auto at) { return at == plain.end() ? number_set::none : *at; };
            const auto value_before = [&](auto at) { return at == plain.begin() ? number_set::none : *std::prev(at); };
            REQUIRE(numbers.at_least(from) == value(next));
            REQUIRE(numbers.above(from) == value(above));
            REQUIRE(numbers.at_most(from) == value_before(above));
            REQUIRE(numbers.below(from) == value_before(next));
            REQUIRE(numbers.largest() == value_before(plain.end()));
        }
    }
}

TEST_CASE("an empty number set has no members") {
    CHECK(number_set{}.largest() == number_set::none);
    CHECK(number_set(0).largest() == number_set::none);
}

}  // namespace hbm::test
