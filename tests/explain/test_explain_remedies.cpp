#include <hbm/donation/donate_fitting.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <support/managers.hpp>
#include <testing/seeds.hpp>
#include <type_traits>
#include <vector>

#include "explain_support.hpp"

// Explanations take no more than their effort, and whatever it is, what they offer works.

namespace hbm::test::explain_effort_tests {
namespace {

using testing::random_numbers;

/// Null, or what is wrong about an explanation with some effort.
template <class Manager>
const char* wrong_about(const Manager& memory, const attempt& tried, std::uint64_t effort) {
    auto trial = memory.fork();
    const failure why = tried.on(trial);
    if (why.reason == error::none || !for_want_of_room(why.reason)) return nullptr;
    const explanation what = explanation_of(memory, tried, why, {.effort = effort});
    if (what.effort > effort) return "it took more than its effort";
    if (!(what.why == why)) return "another failure is explained";
    if (what.main_obstacle == obstacle::none || what.main_obstacle == obstacle::call) return "the cause is not said";
    for (const named_advice& given : what.remedies) {
        auto fork = memory.fork();
        attempt again = tried;
        if (!apply(given.what, fork, again, why.reason)) return "a remedy cannot be applied";
        if (again.on(fork).reason != error::none) return "a remedy does not help";
    }
    const explanation full = explanation_of(memory, tried, why, {.effort = ~std::uint64_t{0}});
    if (full.ended_by_effort) return "all the effort there is was not enough";
    const bool proven = what.conclusion != remedy_status::found && what.conclusion != remedy_status::none_found;
    if (proven && what.conclusion != full.conclusion) return "something else was proven with less effort";
    if (what.lower_bound > full.lower_bound) return "a lower bound is higher with less effort";
    if (!what.ended_by_effort && what.remedies.size() != full.remedies.size())
        return "it does not say that its effort was too little";
    return nullptr;
}

/// Full but for every tenth block, none of which is as long as what is asked for.
template <class Manager>
Manager fragmented(std::uint32_t blocks, random_numbers& random) {
    Manager memory(memory_spec{.capacity = std::uint64_t{blocks} * 32 * q, .quantum = q});
    std::vector<buffer> held;
    for (;;) {
        const std::uint64_t bytes = (1 + random.below(62)) * q;
        if (memory.largest_free_bytes() < bytes) break;
        held.push_back(memory.allocate(bytes).value_or(buffer{}));
    }
    for (const buffer each : held)
        if (random.once_in(10)) memory.free(each);
    return memory;
}

}  // namespace

TEST_CASE_TEMPLATE("whatever the effort is, it is not exceeded", Manager, manager<best_fit>,
                   manager<bottom_reserve<compacting<best_fit>>, evict_cheapest_window, donate_same_size>,
                   manager<compacting<buddy>, evict_lru>) {
    for_each_seed(150, 30, [&](std::uint64_t seed, std::uint32_t steps) -> testing::outcome {
        random_numbers random(seed * 104'729);
        random_memory<Manager> story(random, 6 + random.below(40), 3 + static_cast<std::uint32_t>(random.below(steps)),
                                     100);
        const char* wrong = nullptr;
        for (const std::uint64_t effort : {0u, 1u, 100u, 1'000u, 10'000u, 1'000'000u})
            story.attempt_something([&](const attempt& tried) {
                if (wrong == nullptr) wrong = wrong_about(story.memory(), tried, effort);
            });
        return {.broken = wrong, .seed = seed, .step = steps};
    });
}

TEST_CASE("without effort an explanation has the cause, and says why it has no more") {
    manager<compacting<best_fit>> memory{{.capacity = 16 * q}};
    std::vector<buffer> held;
    for (int at = 0; at < 16; ++at) held.push_back(memory.allocate(q).value_or(buffer{}));
    for (std::size_t at = 0; at < 16; at += 2) {
        CHECK(memory.pin(held[at + 1]));
        CHECK(memory.free(held[at]));
    }
    const auto refused = memory.allocate(4 * q);
    REQUIRE(!refused);
    const explanation nothing = explanation_of(memory, refused.error(), {.effort = 0});
    CHECK(nothing.main_obstacle == obstacle::scattered);
    CHECK(nothing.remedies.empty());
    CHECK(nothing.ended_by_effort);
    CHECK(nothing.effort == 0);
    CHECK(to_text(nothing).find("more or cheaper remedies may be found") != std::string::npos);
    const explanation usual = explanation_of(memory, refused.error());
    CHECK(!usual.ended_by_effort);
    CHECK(usual.remedies.size() >= 2);
    CHECK(to_text(usual).find("effort") == std::string::npos);
    // From now on moves make room, which takes effort to find.
    for (std::size_t at = 0; at < 16; at += 2) CHECK(memory.unpin(held[at + 1]));
    CHECK(explanation_of(memory, refused.error()).main_obstacle == obstacle::none);
    CHECK(explanation_of(memory, refused.error(), {.effort = 0}).main_obstacle == obstacle::scattered);
}

TEST_CASE("a request that is hopeless by bytes alone is proven so, and a memory that is large enough is found") {
    random_numbers random(17);
    using Manager = manager<bottom_reserve<compacting<best_fit>>, evict_cheapest_window>;
    Manager memory = fragmented<Manager>(3'000, random);
    const std::uint64_t bytes = memory.capacity_bytes() + 7 * q;
    const auto refused = memory.allocate(bytes);
    REQUIRE(!refused);
    const explanation what = explanation_of(memory, refused.error());
    CHECK(what.effort <= explain_options{}.effort);
    CHECK(what.conclusion == remedy_status::not_enough_bytes);
    CHECK(what.missing == bytes - memory.free_bytes());
    REQUIRE(what.remedies.size() >= 1);
    // What was not searched to the end does not claim to be the most, or the least, unless that is proven.
    bool claims_most = true;
    for (const named_advice& given : what.remedies) {
        if (given.what.ask_for) claims_most = given.is_exact;
        if (given.what.capacity) CHECK(given.is_exact == (!what.ended_by_effort || given.more_bytes == what.missing));
    }
    CHECK(claims_most == (to_text(what).find("; more may fit") == std::string::npos));
    for (const named_advice& given : what.remedies) {
        auto fork = memory.fork();
        attempt again = request{.bytes = bytes};
        REQUIRE(apply(given.what, fork, again, refused.error().reason));
        CHECK(again.on(fork).reason == error::none);
    }
}

TEST_CASE("after a proof, sizes that reach the limit are exact although the search was short") {
    using Manager = manager<bottom_reserve<compacting<best_fit>>, evict_lru>;
    Manager memory{{.capacity = 1'024 * q}};
    for (int at = 0; at < 100; ++at) REQUIRE(memory.allocate(10 * q));
    const auto refused = memory.allocate(100 * q);  // 24 are free, in one run
    REQUIRE(!refused);
    bool was_short = false;
    for (std::uint64_t effort = 0; effort <= 200'000; effort += 2'500) {
        const explanation what = explanation_of(memory, refused.error(), {.effort = effort});
        const std::string text = to_text(what);
        CAPTURE(effort);
        CAPTURE(text);
        for (const named_advice& given : what.remedies) {
            if (given.what.ask_for) CHECK(given.is_exact == (*given.what.ask_for == 24 * q));
            if (given.what.capacity) CHECK(given.is_exact == (*given.what.capacity == 1'100 * q));
        }
        if (what.remedies.size() != 2 || !what.ended_by_effort) continue;
        if (!what.remedies[0].is_exact || !what.remedies[1].is_exact) {
            CHECK(text.find("better sizes may be found") != std::string::npos);
            continue;
        }
        was_short = true;
        CHECK(text.find("effort") == std::string::npos);
        CHECK(text.find("Request at most 12.0K") != std::string::npos);
        CHECK(text.find("; less may do") == std::string::npos);
    }
    CHECK(was_short);
}

TEST_CASE("a plan that the search finds is tried, however much of the effort the search takes") {
    manager<compacting<best_fit>, never_evict> memory{{.capacity = 77 * q}};
    enum kind { moves, pinned, hole };
    struct item {
        unsigned size, alignment;
        kind what;
    };
    std::vector<buffer> holes;
    for (const item& placed :
         {item{3, 4, pinned}, {6, 1, moves},  {5, 1, moves},  {6, 1, moves}, {2, 4, moves},  {4, 1, moves},
          {2, 1, moves},      {4, 1, moves},  {3, 1, pinned}, {1, 1, hole},  {6, 1, pinned}, {5, 1, moves},
          {4, 1, moves},      {1, 1, hole},   {4, 1, moves},  {5, 8, moves}, {2, 1, moves},  {1, 1, moves},
          {3, 1, moves},      {5, 1, pinned}, {4, 1, pinned}, {1, 4, moves}}) {
        const buffer block = *memory.allocate({.bytes = placed.size * q, .alignment = placed.alignment * q});
        if (placed.what == pinned) REQUIRE(memory.pin(block));
        if (placed.what == hole) holes.push_back(block);
    }
    for (const buffer block : holes) REQUIRE(memory.free(block));
    const failure why = memory.allocate(2 * q).error();
    const explanation given = explanation_of(memory, why);
    CHECK(given.conclusion == remedy_status::found);
    CHECK(std::any_of(given.remedies.begin(), given.remedies.end(),
                      [](const named_advice& remedy) { return !remedy.what.steps.steps.empty(); }));
}

TEST_CASE("a run of several outputs: no smaller memory is enough than one that is called exact") {
    constexpr std::uint64_t k = 100 * q;
    manager<best_fit> memory{{.capacity = 30 * k + 3 * q, .quantum = q}};
    const program step = memory.load({.name = "step", .code = q}).value();
    std::vector<buffer> gaps;
    for (const std::uint64_t bytes : {11 * k, 9 * k}) {
        gaps.push_back(memory.allocate(bytes).value());
        REQUIRE(memory.pin(memory.allocate(q).value()));
    }
    for (const buffer gap : gaps) memory.free(gap);  // holes of 1,100 and 900 quanta, and 1,000 at the top
    const std::vector<output> outputs{12 * k, 6 * k, 7 * k, 3 * k, 5 * k, 4 * k};
    const attempt run{step, run_spec{.outputs = outputs}};
    const explanation given = explanation_of(memory, run);
    REQUIRE(given.remedies.size() == 1);
    CHECK(given.remedies[0].more_bytes == 7 * k);  // some memories between this and 1,100 quanta more are too small
    CHECK(given.remedies[0].is_exact);
    auto smaller = memory.fork();
    REQUIRE(smaller.extend(memory.capacity_bytes() + 7 * k - q));
    CHECK(run.on(smaller).reason != error::none);
}

TEST_CASE("a memory is large enough if it has room behind a multiple of any alignment") {
    manager<best_fit> memory{{.capacity = 4 * q}};
    REQUIRE(memory.pin(*memory.allocate(3 * q)));
    const explanation given = explanation_of(memory, attempt{request{.bytes = 3 * q, .alignment = 16 * q}});
    REQUIRE(given.remedies.size() == 1);
    CHECK(given.remedies[0].what.capacity == 19 * q);
}

TEST_CASE("a fork with a budget makes no plan when it is spent, and says so by failing") {
    manager<compacting<best_fit>> memory{{.capacity = 16 * q}};
    std::vector<buffer> held;
    for (int at = 0; at < 16; ++at) held.push_back(memory.allocate(q).value_or(buffer{}));
    for (std::size_t at = 0; at < 16; at += 2) CHECK(memory.free(held[at]));
    search_budget none(0);
    auto poor = memory.fork(none);
    CHECK(!poor.allocate(4 * q));
    CHECK(none.fell_short());
    CHECK(poor.allocate(q));  // nothing to plan
    search_budget enough(100'000);
    auto rich = memory.fork(enough);
    CHECK(rich.allocate(4 * q));
    CHECK(enough.left() < 100'000);
    CHECK(!enough.fell_short());
    auto free = memory.fork();
    CHECK(free.allocate(4 * q));
}

}  // namespace hbm::test::explain_effort_tests

// Every remedy that is offered works: over many random memories, each makes the attempt succeed on a fork.

namespace hbm::test::explain_remedies_tests {
namespace {

using testing::random_numbers;

/// What the states of one type were like.
struct tally {
    std::uint32_t explained = 0;  // states in which something failed for want of room
    std::uint32_t offered = 0;
    std::uint32_t found = 0;
    std::uint32_t none_found = 0;
    std::uint32_t kinds[7] = {};  // wait, evict, move, unpin, donate, ask for less, more memory
};

/// Null, or what is wrong about an explanation.
template <class Manager>
const char* wrong_about(const Manager& memory, const attempt& tried, tally& seen) {
    auto trial = memory.fork();
    const failure why = tried.on(trial);
    if (why.reason == error::none) return nullptr;
    const Manager before = memory;
    const explanation what = explanation_of(memory, tried);
    if (!(memory == before)) return "explaining changed the memory";
    if (!(what.why == why)) return "another failure is explained";
    if (what.main_obstacle == obstacle::call) return nullptr;
    if (what.main_obstacle == obstacle::none) return "it is said to fit and does not";
    ++seen.explained;
    bool same_attempt = false;
    std::uint64_t price = 0;
    for (const named_advice& given : what.remedies) {
        ++seen.offered;
        const advice& remedy = given.what;
        if (remedy.nanoseconds() < price) return "the remedies are not sorted by price";
        price = remedy.nanoseconds();
        if (remedy.is_only_steps() && price < what.lower_bound) return "a remedy is cheaper than its lower bound";
        auto fork = memory.fork();
        attempt again = tried;
        if (!apply(remedy, fork, again, why.reason)) return "a remedy cannot be applied";
        if (again.on(fork).reason != error::none) return "a remedy does not help";
        if (given.steps.size() != remedy.steps.steps.size() || given.unpinned.size() != remedy.unpin.size())
            return "a remedy is not named completely";
        if (detail::in_words(given, "", 0, 0).empty()) return "a remedy has no words";
        same_attempt = same_attempt || (!remedy.ask_for && !remedy.capacity);
        const bool kinds[] = {remedy.has(hbm::step_kind::wait), remedy.has(hbm::step_kind::evict),
                              remedy.has(hbm::step_kind::move), !remedy.unpin.empty(),
                              !remedy.donate.empty(),           remedy.ask_for.has_value(),
                              remedy.capacity.has_value()};
        for (std::size_t i = 0; i < 7; ++i) seen.kinds[i] += kinds[i];
    }
    if (same_attempt != (what.conclusion == remedy_status::found))
        return "the conclusion does not go with the remedies";
    seen.found += what.conclusion == remedy_status::found;
    seen.none_found += what.conclusion == remedy_status::none_found;
    return nullptr;
}

template <class Manager>
tally explain_many(std::uint64_t seeds) {
    constexpr std::uint32_t max_steps = 20;
    constexpr std::uint32_t attempts = 4;
    tally seen;
    for_each_seed(seeds, max_steps, [&](std::uint64_t seed, std::uint32_t steps) -> testing::outcome {
        random_numbers random(seed * 7919);
        random_memory<Manager> story(random, 6 + random.below(14), 3 + static_cast<std::uint32_t>(random.below(steps)),
                                     random.once_in(8) ? 40 : 100);
        const char* wrong = nullptr;
        for (std::uint32_t i = 0; i < attempts && wrong == nullptr; ++i)
            story.attempt_something([&](const attempt& tried) { wrong = wrong_about(story.memory(), tried, seen); });
        return {.broken = wrong, .seed = seed, .step = steps};
    });
    return seen;
}

template <class P, class E, class D, class... Rest>
constexpr bool donates(const manager<P, E, D, Rest...>&) {
    return !std::is_same_v<D, never_donate>;
}

}  // namespace

TEST_CASE_TEMPLATE("every remedy works", Manager, manager<best_fit>,
                   manager<bottom_reserve<compacting<best_fit>>, evict_cheapest_window, donate_same_size>,
                   manager<compacting<buddy>, never_evict>, manager<first_fit, evict_lru, donate_fitting, evict_first>,
                   manager<bottom_reserve<good_fit>, never_evict, never_donate, never_relieve>,
                   manager<bottom_reserve<best_fit, scratch_sharing::per_program>, never_evict, donate_same_size>) {
    // Six managers, and more than 50,000 states in which something did not fit.
    const tally seen = explain_many<Manager>(4'000);
    if (!tries_all_seeds()) return;
    CHECK(seen.explained > 8'350);
    CHECK(seen.found > 250);
    for (const std::size_t kind : {0u, 1u, 2u, 3u, 5u, 6u}) CHECK(seen.kinds[kind] > 50);
    if (donates(Manager{})) CHECK(seen.kinds[4] > 25);
}

}  // namespace hbm::test::explain_remedies_tests
