// Eviction policies: what they are made of, what they are called, and what the manager tells them.
#include <hbm/eviction/eviction.hpp>
#include <hbm/eviction/more_scores.hpp>
#include <hbm/eviction/policies.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>

#include <doctest/doctest.h>

#include <string>
#include <support/managers.hpp>

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
