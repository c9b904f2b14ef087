// Every remedy that is offered works: over many random memories, each makes the attempt succeed on a fork.
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

#include "explain_support.hpp"

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
