#include <hbm/eviction/evict_cheapest_window.hpp>
#include <hbm/eviction/evict_greedy_dual.hpp>
#include <hbm/eviction/evict_lru.hpp>
#include <hbm/eviction/never_evict.hpp>

#include <doctest/doctest.h>

namespace hbm::test {

struct scores_nothing {
    static constexpr fixed_string name{"scores_nothing"};
    static constexpr victims choice = victims::window;
    friend bool operator==(const scores_nothing&, const scores_nothing&) = default;
};
static_assert(eviction<never_evict> && !evicts<never_evict>);
static_assert(eviction<evict_lru> && evicts<evict_lru>);
static_assert(eviction<evict_greedy_dual> && gives_credit<evict_greedy_dual> &&
              learns_from_evictions<evict_greedy_dual>);
static_assert(!eviction<int> && !eviction<scores_nothing>);

TEST_CASE("the least recently used scores lowest") {
    CHECK(evict_lru{}.score({.last_use = 3}, 10) < evict_lru{}.score({.last_use = 4}, 10));
}

TEST_CASE("greedy dual: credit is level plus uses x cost / size, in 1/65536 of a nanosecond a byte") {
    evict_greedy_dual policy;
    const program_record record{.code = 1000, .reload_nanoseconds = 2500, .uses = 2};
    CHECK(policy.credit(record) == 5 * 65536u);
    CHECK(policy.score({.credit = 42}, 0) == 42);
    policy.evicted({.credit = 70000});
    CHECK(policy.credit(record) == 70000 + 5 * 65536u);
    policy.evicted({.credit = 10});  // the level never falls
    CHECK(policy.credit(record) == 70000 + 5 * 65536u);
    policy.evicted({.credit = ~std::uint64_t{0}});
    CHECK(policy.credit(record) == ~std::uint64_t{0});  // and never wraps around
}

TEST_CASE("the window's score is uses x reload cost / staleness") {
    const evict_cheapest_window policy;
    CHECK(policy.score({.reload_nanoseconds = 999, .last_use = 6, .uses = 4}, 10) == 4 * 1000 / 4 + 1);
    CHECK(policy.score({.reload_nanoseconds = 999, .last_use = 10, .uses = 4}, 10) == 4001);
    const program_record dear{.reload_nanoseconds = ~std::uint64_t{0}, .last_use = 0, .uses = ~std::uint64_t{0}};
    CHECK(policy.score(dear, 0) <= ~std::uint64_t{0} >> 14);  // so that a sum of many does not wrap around
}

}  // namespace hbm::test
