// Who is evicted, whatever the scores are: compared with evicting from copies of the memory, and with all windows there
// are.
#include <hbm/hbm.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test {

namespace {

using testing::random_numbers;
using slots = std::vector<std::uint32_t>;

constexpr std::uint64_t q = 512;

/// A memory in which something is wanted that does not fit, or may not.
template <placement P>
struct situation {
    memory_state<P> state = {};
    need<typename P::quanta> wanted = {};
    std::uint32_t protected_slot = no_index;
    std::vector<std::uint64_t> scores = {};

    [[nodiscard]] bool may_leave(std::uint32_t slot) const { return slot != protected_slot && state.can_evict(slot); }
    [[nodiscard]] bool fits_without(const slots& leaving) const {
        memory_state<P> trial = state;
        for (const std::uint32_t slot : leaving) trial.evict(slot);
        return trial.fits(wanted);
    }
};

/// Buffers, some of them pinned, and programs, some of them used lately; for a buffer, a program or its scratch.
template <placement P>
situation<P> any_situation(random_numbers& random, std::uint64_t highest_score) {
    manager<P, evict_lru> memory{{.name = "small", .capacity = (20 + random.below(60)) * q}};
    std::vector<buffer> held;
    std::vector<program> loaded;
    for (int step = 0; step < 30; ++step) {
        const std::uint64_t size = (1 + random.below(8)) * q;
        if (random.once_in(3)) {
            if (const auto made = memory.allocate(size)) {
                held.push_back(*made);
                if (random.once_in(4)) REQUIRE(memory.pin(*made));
            }
        } else if (const auto made = memory.load({.name = "p", .code = size, .scratch = random.below(6) * q})) {
            loaded.push_back(*made);
        }
        if (!held.empty() && random.once_in(3)) {
            const std::size_t freed = random.below(held.size());
            REQUIRE(memory.free(held[freed]));
            held.erase(held.begin() + static_cast<std::ptrdiff_t>(freed));
        }
    }
    situation<P> made{.state = memory.state()};
    made.wanted.length = static_cast<typename P::quanta>(1 + random.below(40));
    made.wanted.alignment = static_cast<typename P::quanta>(1u << random.below(4));
    if (!loaded.empty() && random.once_in(3)) made.protected_slot = loaded[random.below(loaded.size())].index;
    if (reserves<P> && random.once_in(2)) {  // scratch of a program that is being loaded
        program_record coming{.scratch = (1 + random.below(30)) * q, .generation = 1, .resident = true};
        made.protected_slot = static_cast<std::uint32_t>(made.state.programs.size());
        made.state.programs.push_back(coming);
        made.wanted = {.length = made.state.in_quanta(made.state.scratch_level()), .anchored = true};
    }
    for (std::size_t slot = 0; slot < made.state.programs.size(); ++slot)
        made.scores.push_back(highest_score - random.below(10));
    return made;
}

/// The lowest score first, the lowest slot among equals, then whoever went in vain comes back, the latest first.
template <placement P>
std::optional<slots> one_after_another(const situation<P>& given) {
    slots leaving;
    while (!given.fits_without(leaving)) {
        std::optional<std::uint32_t> next;
        for (std::uint32_t slot = 0; slot < given.scores.size(); ++slot) {
            if (!given.may_leave(slot) || std::find(leaving.begin(), leaving.end(), slot) != leaving.end()) continue;
            if (!next || given.scores[slot] < given.scores[*next]) next = slot;
        }
        if (!next) return std::nullopt;
        leaving.push_back(*next);
    }
    for (std::size_t at = leaving.size(); at-- > 0;) {
        slots fewer = leaving;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
        if (given.fits_without(fewer)) leaving = fewer;
    }
    return leaving;
}

template <placement P>
void expect_needed(const situation<P>& given, const slots& leaving) {
    REQUIRE(given.fits_without(leaving));
    for (std::size_t at = 0; at < leaving.size(); ++at) {
        REQUIRE(given.may_leave(leaving[at]));
        slots fewer = leaving;
        fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
        REQUIRE_FALSE(given.fits_without(fewer));
    }
}

template <placement P>
void compare_with_copies() {
    CAPTURE(P::name.c_str());
    int helped = 0;
    int hopeless = 0;
    for (std::uint64_t seed = 1; seed <= seeds_to_try(2000); ++seed) {
        CAPTURE(seed);
        random_numbers random(seed);
        const situation<P> given = any_situation<P>(random, seed % 2 == 0 ? 9 : ~std::uint64_t{0});
        const victim_finder<P> finder(given.state, given.scores, given.protected_slot);
        const auto found = finder.one_at_a_time(given.wanted);
        REQUIRE(found == one_after_another(given));
        helped += found && !found->empty();
        hopeless += !found;
        if (found) expect_needed(given, *found);
        if (auto window = finder.cheapest_window(given.wanted)) {
            finder.spare(*window, given.wanted);
            expect_needed(given, *window);
        }

        const slots named = finder.in_order(given.wanted);
        REQUIRE(given.fits_without(named) == found.has_value());
        const slots enough = finder.enough_bytes(given.wanted, victims::one_at_a_time);
        REQUIRE(enough.size() <= named.size());
        REQUIRE(std::equal(enough.begin(), enough.end(), named.begin()));
    }
    if (!tries_all_seeds()) return;
    CHECK(helped > 100);
    CHECK(hopeless > 100);
}

TEST_CASE("one at a time: the same as on copies of the memory, and nobody in vain") {
    compare_with_copies<best_fit>();
    compare_with_copies<buddy>();
    compare_with_copies<bottom_reserve<best_fit>>();
    compare_with_copies<bottom_reserve<buddy, scratch_sharing::per_program>>();
}

/// The least sum of scores over all stretches of blocks in which what is wanted fits once their programs are gone.
template <placement P>
std::optional<std::uint64_t> min_of_all_windows(const situation<P>& given) {
    const auto& map = given.state.blocks.map();
    std::optional<std::uint64_t> least;
    for (block_index low = map.first(); low != no_block; low = map.next(low)) {
        slots leaving;
        std::uint64_t sum = 0;
        for (block_index block = low; block != no_block; block = map.next(block)) {
            if (!map.is_hole(block)) {
                const std::uint32_t slot = map.owner(block);
                if (map.kind(block) != block_kind::code && map.kind(block) != block_kind::scratch) break;
                if (!given.may_leave(slot)) break;
                if (std::find(leaving.begin(), leaving.end(), slot) == leaving.end()) {
                    leaving.push_back(slot);
                    sum += given.scores[slot];
                }
            }
            memory_state<P> trial = given.state;
            for (const std::uint32_t slot : leaving) trial.evict(slot);
            // Inside this stretch, not somewhere else.
            basic_extent<typename P::quanta> stretch{map.offset(low), 0};
            stretch.size = static_cast<typename P::quanta>(map.range(block).end() - stretch.offset);
            need<typename P::quanta> required = trial.blocks.requirement(given.wanted);
            required.avoid_below = 0;
            if (required.length <= map.capacity() && required.admits(stretch) && (!least || sum < *least)) least = sum;
        }
    }
    return least;
}

template <placement P>
void compare_with_all_windows() {
    CAPTURE(P::name.c_str());
    int helped = 0;
    for (std::uint64_t seed = 1; seed <= seeds_to_try(1000); ++seed) {
        CAPTURE(seed);
        random_numbers random(seed);
        const situation<P> given = any_situation<P>(random, 9);
        if (given.state.fits(given.wanted)) continue;
        const victim_finder<P> finder(given.state, given.scores, given.protected_slot);
        const auto found = finder.cheapest_window(given.wanted);
        const auto least = min_of_all_windows(given);
        REQUIRE(found.has_value() == least.has_value());
        if (!found) continue;
        ++helped;
        std::uint64_t sum = 0;
        for (const std::uint32_t slot : *found) sum += given.scores[slot];
        REQUIRE(sum == *least);
        REQUIRE(given.fits_without(*found));
    }
    if (tries_all_seeds()) CHECK(helped > 50);
}

TEST_CASE("the window is the cheapest of all windows") {
    compare_with_all_windows<best_fit>();
    compare_with_all_windows<buddy>();
}

TEST_CASE("sums of scores do not wrap around: one program of the highest score is less than three of them") {
    manager<first_fit, evict_lru> memory{{.name = "small", .capacity = 6 * q}};
    for (const std::uint64_t size : {1u, 1u, 1u, 3u}) REQUIRE(memory.load({.name = "p", .code = size * q}));
    const std::vector<std::uint64_t> scores(4, ~std::uint64_t{0});
    const victim_finder<first_fit> finder(memory.state(), scores, no_index);
    CHECK(finder.cheapest_window({.length = 3}) == slots{3});
}

TEST_CASE("where blocks may move, the policy names as few as give enough bytes back, the least worth a quantum first") {
    manager<compacting<first_fit>, evict_cheapest_window> memory{{.name = "small", .capacity = 12 * q}};
    const auto dear = memory.load({.name = "dear", .code = 3 * q, .reload_us = 90});
    const auto cheap = memory.load({.name = "cheap", .code = 3 * q, .reload_us = 30});
    const auto middling = memory.load({.name = "middling", .code = 3 * q, .reload_us = 60});
    const auto fair = memory.load({.name = "fair", .code = 3 * q, .reload_us = 33});
    REQUIRE(fair);
    REQUIRE(memory.allocate(6 * q));  // moving `middling` takes microseconds, bringing it back sixty
    CHECK(memory.about(*dear).resident);
    CHECK_FALSE(memory.about(*cheap).resident);
    CHECK(memory.about(*middling).resident);
    CHECK_FALSE(memory.about(*fair).resident);
    CHECK(memory.done_so_far().moves == 1);
}

TEST_CASE("where moving costs more than reloading, more may be evicted than give enough bytes back") {
    // Moving a quantum takes 1,024 ns, bringing any program back 1,000.
    manager<compacting<first_fit>, evict_lru> memory{
        {.name = "slow", .capacity = 101 * q, .bandwidth = 1'000'000'000, .copy_nanoseconds = 0}};
    const auto oldest = memory.load({.name = "oldest", .code = q, .reload_us = 1});
    const auto large = memory.allocate(97 * q);
    const auto older = memory.load({.name = "older", .code = q, .reload_us = 1});
    const auto latest = memory.load({.name = "latest", .code = 2 * q, .reload_us = 1});
    REQUIRE(oldest);
    REQUIRE(large);
    REQUIRE(older);
    REQUIRE(latest);
    REQUIRE(memory.allocate(2 * q));  // the two oldest would be enough if 97 quanta moved
    CHECK(memory.done_so_far().moves == 0);
    CHECK(memory.about(*oldest).resident);
    CHECK(memory.about(*older).resident);
    CHECK_FALSE(memory.about(*latest).resident);
}

}  // namespace

}  // namespace hbm::test
