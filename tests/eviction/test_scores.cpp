// Scores: the parts and their combinations, at the ends of their ranges too.
#include <hbm/eviction/more_scores.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>

namespace hbm::test::scores_tests {

namespace {

using testing::random_numbers;
__extension__ using wide = unsigned __int128;

constexpr std::uint64_t most = ~std::uint64_t{0};

/// Any number, each length in bits as likely as any other.
std::uint64_t any_length(random_numbers& random) {
    return random.next() >> random.below(64);
}

TEST_CASE("parts: recent, frequent, small and dear programs are worth more") {
    CHECK(recency{}.score({.last_use = 3}, 10) < recency{}.score({.last_use = 4}, 10));
    CHECK(frequency{}.score({.uses = 3}, 10) < frequency{}.score({.uses = 4}, 10));
    CHECK(reload_cost{}.score({.reload_nanoseconds = 3}, 10) < reload_cost{}.score({.reload_nanoseconds = 4}, 10));
}

TEST_CASE("a count that fades halves each half-life and falls along a straight line in between") {
    const fading_frequency part;
    const program_record used{.last_use = 100, .credit = 65'536};
    CHECK(part.score(used, 100) == 65'536);
    CHECK(part.score(used, 100 + 512) == 65'536 * 3 / 4);
    CHECK(part.score(used, 100 + 1024) == 32'768);
    CHECK(part.score(used, 100 + 1024 + 512) == 32'768 * 3 / 4);
    CHECK(part.score(used, 100 + 16 * 1024) == 1);
    CHECK(part.score(used, 100 + 17 * 1024) == 0);
    CHECK(part.score(used, most) == 0);
    CHECK(part.score(used, 99) == 65'536);  // a clock that stands after
    CHECK(part.credit(used, 100 + 1024) == 65'536 + 32'768);
    CHECK(part.credit({}, 1) == 65'536);
    CHECK(part.credit({.last_use = 1, .credit = most}, 1) == most);
}

TEST_CASE("a count that fades never rises with time and stays within a unit of what it stands for") {
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        random_numbers random(seed);
        fading_frequency part;
        part.half_life = any_length(random);
        const program_record used{.last_use = any_length(random) / 2, .credit = any_length(random)};
        const std::uint64_t age = any_length(random) / 2;
        const std::uint64_t found = part.score(used, used.last_use + age);
        CAPTURE(seed);
        REQUIRE(found <= used.credit);
        REQUIRE(part.score(used, used.last_use + age + 1) <= found);
        if (part.half_life == 0) {
            REQUIRE(found == (age == 0 ? used.credit : 0));
            continue;
        }
        const std::uint64_t count = age / part.half_life >= 64 ? 0 : used.credit >> age / part.half_life;
        const auto share = static_cast<std::uint64_t>(wide{count} * (age % part.half_life) / part.half_life);
        const std::uint64_t exact = count - share / 2;
        const std::uint64_t slack = 1 + (part.half_life >> 32 == 0 ? 0 : count >> 30);  // large half-lives are rounded
        REQUIRE((found < exact ? exact - found : found - exact) <= slack);
    }
}

TEST_CASE("a product stops at the largest number") {
    using worth = product<frequency, reload_cost>;
    CHECK(worth{}.score({.reload_nanoseconds = 7, .uses = 6}, 0) == 42);
    CHECK(worth{}.score({.reload_nanoseconds = most, .uses = 0}, 0) == 0);
    CHECK(worth{}.score({.reload_nanoseconds = most, .uses = 1}, 0) == most);
    CHECK(worth{}.score({.reload_nanoseconds = std::uint64_t{1} << 32, .uses = std::uint64_t{1} << 32}, 0) == most);
    CHECK(worth{}.score({.reload_nanoseconds = most, .uses = most}, 0) == most);
    static_assert(std::same_as<expected_reload, product<fading_frequency, reload_cost>>);
    CHECK(expected_reload{}.score({.reload_nanoseconds = 10, .last_use = 4, .credit = 3 * 65'536}, 4) == 30 * 65'536);
    CHECK(expected_reload{}.credit({.reload_nanoseconds = 10, .last_use = 4, .credit = 5}, 4) == 65'541);
}

TEST_CASE("a score over bytes is exact below 2^48 bytes and nearly so above, and stops at the largest number") {
    using density = per_byte<reload_cost>;
    CHECK(density{}.score({.code = 1000, .reload_nanoseconds = 2500}, 0) == 163'840);
    CHECK(density{}.score({.code = 0, .reload_nanoseconds = 3}, 0) == 3 * 65'536);
    CHECK(density{}.score({.code = 1, .reload_nanoseconds = most}, 0) == most);
    CHECK(density{}.score({.code = most, .reload_nanoseconds = most}, 0) == 65'536);
    for (std::uint64_t seed = 1; seed <= 20'000; ++seed) {
        random_numbers random(seed);
        const program_record record{.code = any_length(random), .reload_nanoseconds = any_length(random)};
        const std::uint64_t size = record.code == 0 ? 1 : record.code;
        const wide exact = (wide{record.reload_nanoseconds} << 16) / size;
        const std::uint64_t found = density{}.score(record, 0);
        CAPTURE(seed);
        if (exact > most)
            REQUIRE(found == most);
        else if (size >> 48 == 0)
            REQUIRE(found == exact);
        else
            REQUIRE(found - static_cast<std::uint64_t>(exact) <= 1);  // 65,536 parts of a size that is rounded down
    }
}

TEST_CASE("a score over the ticks since the latest use") {
    using waiting = per_tick<product<frequency, reload_cost>>;
    CHECK(waiting{}.score({.reload_nanoseconds = 1000, .last_use = 6, .uses = 4}, 10) == 1000);
    CHECK(waiting{}.score({.reload_nanoseconds = 1000, .last_use = 10, .uses = 4}, 10) == 4000);
    CHECK(waiting{}.score({.reload_nanoseconds = 1000, .last_use = 11, .uses = 4}, 10) == 4000);
    CHECK(waiting{}.score({.reload_nanoseconds = most, .last_use = 0, .uses = most}, most) == 1);
}

TEST_CASE("greedy dual: credit is the level of the latest victim plus the score inside") {
    greedy_dual<per_byte<product<frequency, reload_cost>>> policy;
    const program_record record{.code = 1000, .reload_nanoseconds = 2500, .uses = 2};
    CHECK(policy.credit(record, 9) == 5 * 65'536u);
    CHECK(policy.score({.credit = 42}, 0) == 42);
    policy.evicted({.credit = 70'000});
    CHECK(policy.credit(record, 9) == 70'000 + 5 * 65'536u);
    policy.evicted({.credit = 10});  // the level never falls
    CHECK(policy.credit(record, 9) == 70'000 + 5 * 65'536u);
    CHECK_FALSE(policy == decltype(policy){});
    policy.evicted({.credit = most});
    CHECK(policy.credit(record, 9) == most);  // and never wraps around
}

}  // namespace

}  // namespace hbm::test::scores_tests
