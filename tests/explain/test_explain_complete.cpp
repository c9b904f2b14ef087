// In small memories nothing is missed and nothing invented: for every set of kinds (waiting, evicting, moving,
// unpinning) a brute force that shares no code with explain() finds the least price.
#include <doctest/doctest.h>

#include <cstdio>
#include <testing/seeds.hpp>

#include "explain_brute_force.hpp"
#include "explain_support.hpp"

namespace hbm::test::explain_complete_tests {
namespace {

using testing::random_numbers;

/// What the states of one type were like. Prices are counted for each set of kinds.
struct tally {
    std::uint64_t compared = 0;
    std::uint64_t several = 0;   // states in which more than one block was asked for
    std::uint64_t least = 0;     // the price is the least
    std::uint64_t dearer = 0;    // there is a cheaper way
    std::uint64_t missed = 0;    // there is a way, and none is offered
    std::uint64_t none = 0;      // there is none
    std::uint64_t proven = 0;    // states in which nothing helps, and that was proven
    std::uint64_t unproven = 0;  // or not
    std::uint64_t tight = 0;     // states in which the lower bound is the least price
    std::uint64_t bounded = 0;   // of these that have one
};

/// What a run, a load or a request asks for, read off the call; empty for what cannot be modelled.
template <class Manager>
wish wish_of(const Manager& memory, const attempt& tried) {
    constexpr bool at_bottom = reserves<typename Manager::placement_type>;
    const auto in_quanta = [](std::uint64_t bytes) {
        return static_cast<unsigned>(bytes == 0 ? 1 : (bytes + q - 1) / q);
    };
    wish asked;
    const auto add = [&](std::uint64_t bytes) { asked.parts.push_back({.length = in_quanta(bytes)}); };
    const auto bring_in = [&](std::uint64_t code, std::uint64_t scratch) {
        if (at_bottom)
            asked.scratch = scratch == 0 ? 0 : in_quanta(scratch);
        else if (scratch != 0)
            add(scratch);
        add(code);
    };
    switch (tried.what()) {
    case attempt::kind::nothing:
        break;
    case attempt::kind::allocate:
        add(tried.asked().bytes);
        asked.parts[0].alignment = tried.asked().alignment == 0 ? 1 : in_quanta(tried.asked().alignment);
        break;
    case attempt::kind::load:
        bring_in(tried.spec().code, tried.spec().scratch);
        break;
    case attempt::kind::reload:
    case attempt::kind::run:
        asked.slot = tried.subject().index;
        if (const program_record& record = memory.about(tried.subject()); !record.resident)
            bring_in(record.code, record.scratch);
        if (tried.what() == attempt::kind::run)
            tried.with_run([&](const run_spec& run) {
                auto fork = memory.fork();
                const auto donors = fork.donors_of(run);
                for (std::size_t at = 0; at < donors.size(); ++at)
                    if (donors[at] == no_index) add(run.outputs[at].bytes);
                return true;
            });
    }
    return asked;
}

template <class Manager>
const char* wrong_about(const Manager& memory, const attempt& tried, tally& seen) {
    auto trial = memory.fork();
    if (!for_want_of_room(tried.on(trial).reason)) return nullptr;
    const wish asked = wish_of(memory, tried);
    const auto least = least_prices(memory, asked);
    if (!least) return nullptr;
    const explanation what = explanation_of(memory, tried);
    ++seen.compared;
    seen.several += asked.parts.size() > 1;
    const std::uint64_t impossible = arena::impossible;
    for (unsigned kinds = 1; kinds <= all_kinds; ++kinds) {
        std::uint64_t offered = impossible;
        for (const named_advice& given : what.remedies) {
            if (given.what.ask_for || given.what.capacity || !given.what.donate.empty()) continue;
            const unsigned used = (given.what.has(step_kind::wait) ? +waiting : 0u) |
                                  (given.what.has(step_kind::evict) ? +evicting : 0u) |
                                  (given.what.has(step_kind::move) ? +moving : 0u) |
                                  (given.what.unpin.empty() ? 0u : +unpinning);
            if ((used & ~kinds) == 0) offered = std::min(offered, given.what.nanoseconds());
        }
        const std::uint64_t price = (*least)[kinds];
        if (offered < price) return "explain offers what the brute force does not find";
        if (price == impossible)
            ++seen.none;
        else if (offered == impossible)
            ++seen.missed;
        else
            ++(offered == price ? seen.least : seen.dearer);
        // A manager that places part after part may need more than there is to a single part.
        if (offered == impossible && price != impossible && asked.parts.size() < 2)
            return "the brute force finds what explain does not offer";
    }
    const std::uint64_t by_itself = (*least)[waiting | evicting | moving];
    if (what.lower_bound > by_itself) return "there is a way below the lower bound";
    seen.bounded += by_itself != impossible;
    seen.tight += by_itself != impossible && what.lower_bound == by_itself;
    const bool proven = what.conclusion == verdict::not_enough_bytes || what.conclusion == verdict::walls ||
                        what.conclusion == verdict::no_arrangement;
    if (proven && (*least)[all_kinds] != impossible)
        return "there is a way, and it is said to be proven that there is none";
    if ((*least)[all_kinds] == impossible && what.conclusion != verdict::found)
        ++(proven ? seen.proven : seen.unproven);
    if (what.conclusion == verdict::not_enough_bytes) {
        const auto last = arena_of(memory, memory.flights().size(), asked);
        if (last && what.missing != last->missing() * q) return "another number of bytes is missing";
    }
    return nullptr;
}

template <class Manager>
tally compare_many(std::uint64_t seeds) {
    tally seen;
    for_each_seed(seeds, 14, [&](std::uint64_t seed, std::uint32_t steps) -> testing::outcome {
        random_numbers random(seed * 104729);
        random_memory<Manager> story(random, 5 + random.below(9), steps, 100);
        const char* wrong = nullptr;
        for (int i = 0; i < 3 && wrong == nullptr; ++i)
            story.attempt_something([&](const attempt& tried) { wrong = wrong_about(story.memory(), tried, seen); });
        return {.broken = wrong, .subject = Manager::full_name.c_str(), .seed = seed, .step = steps};
    });
    if (number_from_environment("HBM_TALLY", 0) != 0)
        std::printf("%s: %llu states (%llu of several parts), least %llu, dearer %llu, missed %llu, none %llu; "
                    "proven %llu, unproven %llu; bound tight %llu of %llu\n",
                    Manager::full_name.c_str(), static_cast<unsigned long long>(seen.compared),
                    static_cast<unsigned long long>(seen.several), static_cast<unsigned long long>(seen.least),
                    static_cast<unsigned long long>(seen.dearer), static_cast<unsigned long long>(seen.missed),
                    static_cast<unsigned long long>(seen.none), static_cast<unsigned long long>(seen.proven),
                    static_cast<unsigned long long>(seen.unproven), static_cast<unsigned long long>(seen.tight),
                    static_cast<unsigned long long>(seen.bounded));
    return seen;
}

}  // namespace

TEST_CASE_TEMPLATE("in small memories nothing is missed and nothing invented", Manager,
                   manager<best_fit, never_evict, never_donate, never_relieve>,
                   manager<bottom_reserve<compacting<best_fit>>, never_evict, donate_same_size>,
                   manager<bottom_reserve<first_fit>, evict_lru>, manager<compacting<buddy>, never_evict>,
                   manager<bottom_reserve<best_fit, scratch_sharing::per_program>, evict_cheapest_window>,
                   manager<bottom_reserve<buddy>, never_evict>) {
    const tally seen = compare_many<Manager>(300);
    if (!tries_all_seeds()) return;
    CHECK(seen.compared > 75);
    CHECK(seen.least > 75);
    CHECK(seen.none > 300);
}

}  // namespace hbm::test::explain_complete_tests
