#include <hbm/eviction/eviction.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <cstdint>
#include <string>
#include <support/managers.hpp>

// Eviction policies: what they are made of, what they are called, and what the manager tells them.

namespace hbm::test::eviction_tests {

namespace {

struct scores_nothing {
    static constexpr fixed_string name{"scores_nothing"};
    static constexpr victims choice = victims::window;
    bool operator==(const scores_nothing&) const = default;
};
struct asks_for_no_time : recency {
    static constexpr std::uint64_t credit(const program_record& record) { return record.uses; }
};
struct gives_a_double : recency {
    static constexpr double credit(const program_record&, std::uint64_t) { return 0; }
};
/// Keeps when it was asked for credit, and what it saw of the record then.
struct remembers {
    static constexpr fixed_string name{"remembers"};
    [[nodiscard]] static constexpr std::uint64_t credit(const program_record& record, std::uint64_t now) {
        return now * 10'000 + record.last_use * 100 + record.uses;
    }
    [[nodiscard]] static constexpr std::uint64_t score(const program_record&, std::uint64_t) { return 0; }
    bool operator==(const remembers&) const = default;
};

static_assert(eviction<never_evict> && !evicts<never_evict>);
static_assert(eviction<evict_lru> && evicts<evict_lru> && evict_lru::choice == victims::one_at_a_time);
static_assert(eviction<evict_greedy_dual> && evict_greedy_dual::choice == victims::one_at_a_time);
static_assert(gives_credit<evict_greedy_dual> && learns_from_evictions<evict_greedy_dual>);
static_assert(eviction<evict_cheapest_window> && evict_cheapest_window::choice == victims::window);
static_assert(gives_credit<evict_cheapest_window> && !learns_from_evictions<evict_cheapest_window>);
static_assert(!eviction<int> && !eviction<scores_nothing>);
static_assert(score<recency> && !eviction<recency>);
static_assert(!score<asks_for_no_time>);
static_assert(!score<gives_a_double> && !score<int>);
static_assert(check_eviction<evict_window<frequency>>() && check_score<expected_reload>());
static_assert(sizeof(evict_lru) == 1 && sizeof(evict_greedy_dual) == 8 && sizeof(evict_cheapest_window) == 8);

TEST_CASE("policies are called what a user would write") {
    CHECK(std::string(evict_lru::name.c_str()) == "evict_lru");
    CHECK(std::string(evict_greedy_dual::name.c_str()) == "evict_greedy_dual");
    CHECK(std::string(evict_cheapest_window::name.c_str()) == "evict_cheapest_window");
    CHECK(std::string(evict_in_order<per_byte<product<frequency, reload_cost>>>::name.c_str()) ==
          "evict_in_order<per_byte<product<frequency,reload_cost>>>");
    CHECK(std::string(evict_window<per_tick<fading_frequency>>::name.c_str()) ==
          "evict_window<per_tick<fading_frequency>>");
    CHECK(std::string(greedy_dual<reload_cost>::name.c_str()) == "greedy_dual<reload_cost>");
}

TEST_CASE("a window counts every program, also one whose score is nothing") {
    CHECK(evict_window<frequency>{}.score({.uses = 0}, 5) == 1);
    CHECK(evict_window<frequency>{}.score({.uses = ~std::uint64_t{0}}, 5) == ~std::uint64_t{0});
    CHECK(evict_in_order<frequency>{}.score({.uses = 0}, 5) == 0);
}

TEST_CASE("a parameter of a part is a parameter of the policy, and part of its value") {
    evict_cheapest_window policy;
    CHECK(policy == evict_cheapest_window{});
    policy.half_life = 16;
    CHECK_FALSE(policy == evict_cheapest_window{});
    const program_record used_long_ago{.reload_nanoseconds = 3, .last_use = 1, .credit = 65'536};
    CHECK(policy.score(used_long_ago, 17) == 3 * 32'768 + 1);
}

TEST_CASE("credit is given before the clock's new tick becomes the latest use, and survives eviction") {
    manager<best_fit, evict_in_order<remembers>> memory{{.name = "small", .capacity = 4096}};
    const auto first = memory.load({.name = "one", .code = 512});
    REQUIRE(first);
    CHECK(memory.about(*first).credit == 1'00'01);  // tick 1, never used before, first use
    REQUIRE(memory.run(*first, {}));
    CHECK(memory.about(*first).credit == 2'01'02);
    REQUIRE(memory.evict(*first));
    CHECK(memory.about(*first).credit == 2'01'02);
    CHECK(memory.about(*first).uses == 2);
    REQUIRE(memory.load(*first));
    CHECK(memory.about(*first).credit == 3'02'03);
}

TEST_CASE("a program used a hundred times lately outlives one that was used more often long ago") {
    evict_cheapest_window forgetful;
    forgetful.half_life = 8;
    manager<best_fit, evict_cheapest_window> memory{{.name = "small", .capacity = 1024}, {.eviction = forgetful}};
    const auto before = memory.load({.name = "before", .code = 512, .reload_us = 10});
    const auto nowadays = memory.load({.name = "nowadays", .code = 512, .reload_us = 10});
    REQUIRE(before);
    REQUIRE(nowadays);
    for (int run = 0; run < 200; ++run) REQUIRE(memory.run(*before, {}));
    for (int run = 0; run < 100; ++run) REQUIRE(memory.run(*nowadays, {}));
    REQUIRE(memory.allocate(512));
    CHECK_FALSE(memory.about(*before).resident);
    CHECK(memory.about(*nowadays).resident);
}

}  // namespace

}  // namespace hbm::test::eviction_tests

// Scores: the parts and their combinations, at the ends of their ranges too.

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
