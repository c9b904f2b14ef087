// Parts of hbm_compare that are easier to reach from within.

#include <doctest/doctest.h>

#include "compare/replay/numbers.hpp"
#include "compare/text/text.hpp"

namespace hbm::test::parts_tests {

using namespace hbm::compare;

TEST_CASE("globs") {
    static_assert(glob_matches("", ""));
    static_assert(!glob_matches("", "a"));
    static_assert(glob_matches("*", ""));
    static_assert(glob_matches("*", "a/b"));
    static_assert(glob_matches("a*c", "abcabc"));
    static_assert(!glob_matches("a*c", "abcab"));
    static_assert(glob_matches("*fit*/evict_*", "compacting<best_fit>/evict_lru/donate_fitting"));
    static_assert(glob_matches("**a?", "xab"));
    static_assert(!glob_matches("?", ""));
    static_assert(!glob_matches("best_fit", "best_fit/evict_lru"));
    static_assert(!glob_matches("buddy?", "buddy"));
    CHECK(glob_matches("b*d*y", "buddy"));
}

TEST_CASE("numbers in words") {
    CHECK(six_decimals(hbm::trace::fraction{1'024'500}) == "1.024500");
    CHECK(six_decimals(hbm::trace::fraction{}) == "0.000000");
    CHECK(six_decimals(31.25) == "31.250000");
    CHECK(rounded({1'999'500}, 2) == "2.00");
    CHECK(rounded({1'004'999}, 2) == "1.00");
    CHECK(rounded({49}, 4) == "0.0000");
    CHECK(rounded({2'500'000}, 0) == "3");
    CHECK(percent({123'456}) == "12.3 %");
    CHECK(grouped(0) == "0");
    CHECK(grouped(999) == "999");
    CHECK(grouped(1000) == "1,000");
    CHECK(grouped(18'446'744'073'709'551'615u) == "18,446,744,073,709,551,615");
    CHECK(counted(1, "move") == "1 move");
    CHECK(counted(2000, "move") == "2,000 moves");
    CHECK(duration(999) == "999 us");
    CHECK(duration(1500) == "1.5 ms");
    CHECK(duration(2'500'000) == "2.50 s");
}

}  // namespace hbm::test::parts_tests
