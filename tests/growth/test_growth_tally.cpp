// Live bytes by tag.
#include <hbm/growth/growth_tally.hpp>

#include <doctest/doctest.h>

namespace hbm::test::growth_tally_tests {

TEST_CASE("the least and the most of a step are those in between, and a new tag had nothing before") {
    growth_tally tally{{.window = 1}};
    tally.begin(1, 100);
    tally.settle();
    tally.step();
    tally.end(1, 100);
    tally.begin(1, 300);
    tally.begin(1, 50);
    tally.end(1, 50);
    CHECK(tally[1].least == 0);
    CHECK(tally[1].most == 350);
    tally.step();
    CHECK(tally[1].least == 300);
    CHECK(tally[1].most == 300);
    CHECK(tally[1].series.highest_bytes() == 350);
    CHECK(tally[7].series.steps() == 2);
    tally.begin(7, 512);
    tally.step();
    CHECK(tally[7].series.steps() == 3);
    CHECK(tally[7].least == 512);
}

TEST_CASE("a memory that is counted anew keeps its series") {
    growth_tally tally;
    tally.begin(2, 100);
    tally.step();
    const growth_series before = tally[2].series;
    tally.forget_blocks();
    CHECK(tally.total().bytes == 0);
    CHECK(tally[2].count == 0);
    tally.begin(2, 100);
    CHECK(tally[2].series == before);
    growth_tally same = tally;
    CHECK(same == tally);
    same.step();
    CHECK(!(same == tally));
}

}  // namespace hbm::test::growth_tally_tests
