// Live bytes by tag against a plain model.
#include <hbm/growth/growth_tally.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <testing/seeds.hpp>
#include <vector>

namespace hbm::test::growth_tally_tests {

TEST_CASE("counts of random blocks are those of a plain model, step by step") {
    for (std::uint64_t seed = 0; seed < seeds_to_try(20); ++seed) {
        CAPTURE(seed);
        testing::random_numbers random{seed};
        growth_tally tally{{.window = 1, .most_tags = 5}};
        struct block {
            std::size_t which;
            std::uint64_t bytes;
        };
        struct sums {
            std::uint64_t bytes = 0, count = 0, most = 0;
        };
        std::vector<block> live;
        std::map<std::size_t, sums> model;
        for (int act = 0; act < 2000; ++act) {
            if (random.below(3) != 0 || live.empty()) {
                const block made{random.below(9), 1 + random.below(1000)};
                live.push_back(made);
                tally.begin(made.which, made.bytes);
            } else {
                const std::size_t at = random.below(live.size());
                tally.end(live[at].which, live[at].bytes);
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(at));
            }
            std::uint64_t all = 0;
            for (auto& [which, its] : model) its.bytes = its.count = 0;
            for (const block& each : live) {
                sums& its = model[std::min<std::size_t>(each.which, 5)];
                its.bytes += each.bytes;
                ++its.count;
                its.most = std::max(its.most, its.bytes);
                all += each.bytes;
            }
            if (random.once_in(10)) tally.step();
            CHECK(tally.total().bytes == all);
            CHECK(tally.total().count == live.size());
        }
        CHECK(tally.size() == 6);
        for (const auto& each : model) {
            const auto& which = each.first;
            const auto& its = each.second;
            CAPTURE(which);
            CHECK(tally[which].bytes == its.bytes);
            CHECK(tally[which].count == its.count);
            CHECK(std::max(tally[which].series.highest_bytes(), tally[which].most) == its.most);
            CHECK(tally[which].series.steps() == tally.steps());
        }
        CHECK(&tally[5] == &tally[1000]);
        CHECK(&tally[5] == &tally[~std::size_t{0}]);
    }
}

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
