// What relief did in vain: nothing, over random stories under every order of relief; and that the audit would tell.
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/relief/rent_or_buy.hpp>
#include <hbm/testing/random.hpp>
#include <hbm/testing/relief_audit.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::relief_audit_tests {
namespace {

using testing::random_numbers;

constexpr std::uint64_t q = 512;

/// Evicts everybody who may go, and moves nothing.
struct evict_everybody {
    static constexpr fixed_string name{"evict_everybody"};

    template <class Planner>
    [[nodiscard]] constexpr std::optional<plan> choose(const Planner& ways) const {
        std::optional<plan> found = ways.by_evicting();
        if (!found) return found;
        std::vector<std::uint32_t> gone;
        for (const step& next : found->steps) gone.push_back(next.subject);
        for (std::uint32_t slot = 0; slot < 2; ++slot)
            if (gone.size() == 1 && gone[0] != slot)
                found->add({.what = step_kind::evict, .subject = slot, .from = 1, .bytes = 4 * q});
        return found;
    }
    bool operator==(const evict_everybody&) const = default;
};
static_assert(relief<evict_everybody>);

TEST_CASE("what is evicted in vain is counted") {
    manager<best_fit, evict_lru, never_donate, evict_everybody, no_device, relief_audit> memory{{.capacity = 16 * q}};
    const auto first = memory.load({.name = "one", .code = 4 * q});
    const auto wall = memory.allocate(4 * q);
    const auto two = memory.load({.name = "two", .code = 4 * q});
    REQUIRE((first && wall && two));
    REQUIRE(memory.allocate(8 * q));
    CHECK(memory.done_so_far().evictions == 2);
    CHECK(memory.events().evictions() == 2);
    CHECK(memory.events().evictions_in_vain() == 1);
    CHECK(memory.events().moves_in_vain() == 0);
}

TEST_CASE("so is what is moved in vain, by hand") {
    manager<compacting<best_fit>, never_evict, never_donate, relieve_cheapest, no_device, relief_audit> memory{
        {.capacity = 16 * q}};
    const auto low = memory.allocate(2 * q);
    const auto block = memory.allocate(2 * q);
    REQUIRE(memory.free(*low));
    plan steps;
    steps.add(memory.state().move_of(block->index, 0));
    REQUIRE(memory.relieve(steps));
    REQUIRE(memory.allocate({.bytes = 10 * q, .preferred = side::high}));
    CHECK(memory.events().moves() == 1);
    CHECK(memory.events().moves_in_vain() == 1);
}

struct tally {
    std::uint64_t evictions = 0;
    std::uint64_t moves = 0;
};

/// Random loads, runs, allocations and frees in a memory that is too small; what is wrong, or nothing.
template <class Manager>
std::string try_story(std::uint64_t seed, tally& seen) {
    random_numbers random(seed);
    Manager memory{{.capacity = (12 + random.below(40)) * q,
                    .copy_nanoseconds = random.below(3) * 1000,
                    .runs_in_flight = static_cast<std::uint32_t>(random.below(2) * 2)}};
    std::vector<buffer> held;
    std::vector<program> loaded;
    for (int step = 0; step < 60; ++step) {
        const std::uint64_t kind = random.below(10);
        const std::uint64_t size = (1 + random.below(random.once_in(4) ? 12 : 4)) * q;
        if (kind < 3) {
            if (const auto made = memory.allocate(size)) held.push_back(*made);
        } else if (kind < 5) {
            const auto made =
                memory.load({.name = "p", .code = size, .scratch = random.below(5) * q, .reload_us = random.below(30)});
            if (made) loaded.push_back(*made);
        } else if (kind < 7 && !loaded.empty()) {
            const std::vector<output> outputs{size, (1 + random.below(3)) * q};
            const auto ran = memory.run(loaded[random.below(loaded.size())],
                                        {.outputs = {outputs.data(), static_cast<std::size_t>(random.below(3))}});
            if (ran)
                for (const buffer made : ran->outputs) held.push_back(made);
        } else if (!held.empty()) {
            const std::size_t which = random.below(held.size());
            (void)memory.free(held[which]);
            held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
        }
        const relief_audit& audit = memory.events();
        if (audit.evictions_in_vain() != 0) return "a program was evicted in vain";
        if (audit.moves_in_vain() != 0) return "a block was moved in vain";
    }
    seen.evictions += memory.events().evictions();
    seen.moves += memory.events().moves();
    return {};
}

template <class Placement, class Eviction, class Relief>
void expect_nothing_in_vain(std::uint64_t seeds) {
    using memory_type = manager<Placement, Eviction, never_donate, Relief, no_device, relief_audit>;
    tally seen;
    seeds = seeds_to_try(seeds);
    const std::uint64_t only = number_from_environment("HBM_SEED", 0);
    for (std::uint64_t seed = only != 0 ? only : 1; seed <= (only != 0 ? only : seeds); ++seed) {
        const std::string wrong = try_story<memory_type>(seed, seen);
        const std::string again =
            wrong + " under " + memory_type::full_name.c_str() + "; again with HBM_SEED=" + std::to_string(seed);
        if (!wrong.empty()) FAIL_CHECK(again);
        if (!wrong.empty()) return;
    }
    if (only == 0) CHECK(seen.evictions > seeds / 2);
    if (only == 0 && compacts<Placement>) CHECK(seen.moves > seeds / 2);
}

TEST_CASE("nothing is disturbed in vain") {
    expect_nothing_in_vain<best_fit, evict_lru, relieve_cheapest>(400);
    expect_nothing_in_vain<best_fit, evict_greedy_dual, evict_first>(400);
    expect_nothing_in_vain<bottom_reserve<best_fit>, evict_cheapest_window, relieve_cheapest>(400);
    expect_nothing_in_vain<compacting<first_fit>, evict_lru, compact_first>(400);
    expect_nothing_in_vain<compacting<best_fit>, evict_cheapest_window, evict_first>(400);
    expect_nothing_in_vain<bottom_reserve<compacting<best_fit>>, evict_lru, relieve_cheapest>(400);
    expect_nothing_in_vain<bottom_reserve<compacting<best_fit>>, evict_greedy_dual, evict_first>(400);
    expect_nothing_in_vain<bottom_reserve<compacting<good_fit>>, evict_cheapest_window, compact_first>(400);
    expect_nothing_in_vain<bottom_reserve<compacting<best_fit>, scratch_sharing::per_program>, evict_lru,
                           relieve_cheapest>(400);
    expect_nothing_in_vain<bottom_reserve<compacting<buddy>>, evict_lru, relieve_cheapest>(400);
    expect_nothing_in_vain<bottom_reserve<compacting<best_fit>>, evict_cheapest_window, rent_or_buy>(400);
}

}  // namespace
}  // namespace hbm::test::relief_audit_tests
