#include <hbm/pack/learned_past.hpp>
#include <hbm/pack/shared_vector.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::test::learned_past_tests {

TEST_CASE("vectors that share their pieces are as vectors that do not") {
    testing::random_numbers random(3);
    std::vector<shared_vector<int>> shared(4);
    std::vector<std::vector<int>> plain(4);
    for (int step = 0; step < 30000; ++step) {
        const auto at = static_cast<std::size_t>(random.below(4));
        const auto other = static_cast<std::size_t>(random.below(4));
        if (random.once_in(500)) {
            shared[at] = shared[other];
            plain[at] = plain[other];
        } else if (random.once_in(3000)) {
            shared[at].clear();
            plain[at].clear();
        } else if (!plain[at].empty() && random.once_in(3)) {
            const auto item = static_cast<std::size_t>(random.below(plain[at].size()));
            shared[at].change(item) = step;
            plain[at][item] = step;
        } else {
            shared[at].push_back(step);
            plain[at].push_back(step);
        }
        REQUIRE(shared[at].size() == plain[at].size());
        if (!plain[other].empty()) {
            const auto item = static_cast<std::size_t>(random.below(plain[other].size()));
            REQUIRE(shared[other][item] == plain[other][item]);
        }
        if (step % 100 == 0) REQUIRE((shared[at] == shared[other]) == (plain[at] == plain[other]));
    }
}

TEST_CASE("the past finds where the same has been, and forgets the older half") {
    learned_past past;
    // A period of 40 requests, each freed three requests later: 80 events, none of another size at the same place.
    std::vector<std::uint32_t> asked;
    const auto go_on = [&] {
        asked.push_back(past.ask(static_cast<std::uint32_t>(1 + asked.size() % 40), no_event, 0));
        if (asked.size() % 7 < 3 && asked.size() > 3) past.free(asked[asked.size() - 3], 1, no_event, 0);
    };
    while (past.count() < 600) go_on();
    const std::uint32_t at = past.count() - 1;
    const std::uint32_t before = past[at].previous;
    REQUIRE(before != no_event);
    CHECK(past[before].hash == past[at].hash);
    CHECK(past.same_kinds(before, at, 64) == 64);
    CHECK(past.same_sizes(at, at, 64) == 64);
    CHECK(past.same_kinds(at - 1, at, 1000) < 64);

    learned_past copy = past;
    CHECK(copy == past);
    copy.ask(5, no_event, 0);
    CHECK_FALSE(copy == past);

    std::uint32_t request = no_event;
    while (!past.is_full()) request = past.ask(7, no_event, 0);
    const std::uint32_t last = past.free(request, 7, no_event, 0);
    CHECK(last == learned_past::most_events);
    past.forget();
    CHECK(past.count() == learned_past::most_events / 2 + 1);
    CHECK(past[past.after_forgetting(last)].partner == past.after_forgetting(request));
    CHECK(past[past.after_forgetting(request)].partner == past.after_forgetting(last));
    CHECK(learned_past::after_forgetting(5) == no_event);
    CHECK(past.bytes() < (std::size_t{21} << 20U) / 10);
}

}  // namespace hbm::test::learned_past_tests
