// The attacks on placements: they reach what the formulas say, nobody exceeds what holds for its rule, and what they
// did is replayed by a ledger that knows ranges only. For small memories all programs there are are tried on a plain
// model.
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "compare/generate/adversaries/attack_best_fit.hpp"
#include "compare/generate/adversaries/attacks.hpp"
#include "support/checker.hpp"
#include "support/reference_memory.hpp"

namespace hbm::test::attacks_tests {
namespace {

using testing::memory_under_attack;

struct replayed {
    std::string mistake;
    std::uint64_t highest = 0;  // of what was requested
    std::uint64_t peak = 0;
};

/// Replays an attack on ranges alone: nothing overlaps, and no size is out of range.
template <class P>
replayed replay(const memory_under_attack<P>& memory, std::uint64_t largest) {
    replayed found;
    test::checker ranges(~std::uint64_t{0});
    std::set<std::size_t> seen;
    for (const testing::attack_step& step : memory.steps()) {
        const std::uint64_t offset = memory.blocks()[step.block].offset;
        const std::uint64_t size = memory.blocks()[step.block].size;
        const bool is_new = step.is_free || seen.insert(step.block).second;
        const char* broken = step.is_free ? ranges.freed(offset, size) : ranges.allocated(offset, size);
        if (broken != nullptr) return {broken};
        if (!is_new || size > largest) return {"a block is requested twice, or is too large"};
        found.peak = std::max(found.peak, ranges.occupied());
        if (!step.is_free) found.highest = std::max(found.highest, offset + size);
    }
    if (ranges.occupied() != memory.live()) found.mistake = "another number of live quanta";
    return found;
}

enum class attack { robson, first_fit, best_fit, buddy };

// What an attack makes a placement need.
template <class P>
std::uint64_t needed(attack what, std::uint64_t live, std::uint64_t largest) {
    memory_under_attack<P> memory(live);
    if (what == attack::robson) testing::run_robson_sequence(memory, largest);
    if (what == attack::first_fit) testing::attack_first_fit(memory, largest);
    if (what == attack::best_fit) testing::attack_best_fit(memory, largest);
    if (what == attack::buddy) testing::attack_buddy(memory, largest);
    const replayed seen = replay(memory, largest);
    CHECK(seen.mistake == "");
    CHECK(seen.peak <= live);
    CHECK(seen.peak == memory.peak());
    // A block may be longer than requested: only in buddy and in BFC.
    if constexpr (std::is_same_v<P, buddy> || std::is_same_v<P, bfc>)
        CHECK(seen.highest <= memory.needed());
    else
        CHECK(seen.highest == memory.needed());
    return memory.needed();
}

struct sizes {
    std::uint64_t live;
    std::uint64_t largest;
};
constexpr sizes all_sizes[] = {{32, 8}, {64, 8}, {128, 8}, {96, 16}, {192, 32}, {256, 64}};
constexpr attack all_attacks[] = {attack::robson, attack::first_fit, attack::best_fit, attack::buddy};

bool at_least(double share, std::uint64_t found, double bound) {
    return static_cast<double>(found) >= share * bound;
}

template <class P>
void check_every_attack_on_a_hole_taker() {
    for (const auto [live, largest] : all_sizes) {
        for (const attack what : all_attacks)
            CHECK(needed<P>(what, live, largest) <= testing::hole_taker_bound(live, largest));
        CHECK(needed<P>(attack::robson, live, largest) >= testing::robson_bound(live, largest));
    }
}

TEST_SUITE("attacks on placements") {
    TEST_CASE("Robson's sequence drives every placement to the bound that none can avoid") {
        for (const auto [live, largest] : all_sizes) {
            const std::uint64_t bound = testing::robson_bound(live, largest);
            CHECK(needed<first_fit>(attack::robson, live, largest) >= bound);
            CHECK(needed<best_fit_lifo>(attack::robson, live, largest) >= bound);
            CHECK(needed<good_fit>(attack::robson, live, largest) >= bound);
            CHECK(needed<buddy>(attack::robson, live, largest) >= bound);
            CHECK(needed<bfc>(attack::robson, live, largest) >= bound);
            CHECK(needed<free_together<best_fit>>(attack::robson, live, largest) >= bound);
        }
        // 256 * (6 / 2 + 1) - 64 + 1.
        CHECK(testing::robson_bound(256, 64) == 961);
    }

    TEST_CASE("best fit reaches its bound, and no placement that takes holes exceeds the worst conceivable") {
        for (const auto [live, largest] : all_sizes) {
            const std::uint64_t bound = testing::best_fit_bound(live, largest);
            CHECK(needed<best_fit>(attack::best_fit, live, largest) >= bound);
            CHECK(needed<best_fit_lifo>(attack::best_fit, live, largest) >= bound);
        }
        CHECK(testing::best_fit_bound(256, 16) == 203 * 14);
        check_every_attack_on_a_hole_taker<best_fit>();
        check_every_attack_on_a_hole_taker<good_fit>();
    }

    TEST_CASE("first fit reaches nine tenths of M log2 n for short blocks, and never more than Robson's bound") {
        for (const auto [live, largest] : all_sizes) {
            for (const attack what : all_attacks)
                CHECK(static_cast<double>(needed<first_fit>(what, live, largest)) <=
                      testing::first_fit_bound(live, largest));
        }
        CHECK(at_least(0.9, needed<first_fit>(attack::first_fit, 256, 8), 256 * std::log2(8)));
        CHECK(at_least(0.9, needed<first_fit>(attack::first_fit, 64, 4), 64 * std::log2(4)));
        // For longer ones it is a share of the bound that hardly changes.
        for (const std::uint64_t largest : {4U, 8U, 16U, 32U})
            CHECK(at_least(0.69, needed<first_fit>(attack::first_fit, 1024, largest),
                           testing::first_fit_bound(1024, largest)));
        // 6 * (1 + 1/2 + 1/3) / ln 2.
        CHECK(testing::first_fit_bound(6, 3) == doctest::Approx(15.8696));
    }

    TEST_CASE("buddy reaches its bound and does not exceed it with powers of two") {
        for (const auto [live, largest] : all_sizes) {
            const std::uint64_t bound = testing::buddy_bound(live, largest);
            CHECK(needed<buddy>(attack::robson, live, largest) <= bound);
            const std::uint64_t found = needed<buddy>(attack::buddy, live, largest);
            CHECK(found <= bound);
            CHECK(at_least(0.9, found, static_cast<double>(bound)));
        }
        CHECK(testing::buddy_bound(256, 8) == 1024);
        CHECK(testing::buddy_bound(256, 64) == 1024);
    }
}

// Every program of requests and frees, on the plain model: all states that can be reached, each once.
template <class Where, class Taken>
std::uint64_t worst_of_all_programs(std::uint64_t live, const std::vector<std::uint64_t>& requests, Where where,
                                    Taken taken) {
    using state = std::vector<std::pair<std::uint64_t, std::uint64_t>>;  // offset and requested size, in order
    std::set<state> seen{state{}};
    std::vector<state> open{state{}};
    std::uint64_t worst = 0;
    const auto reach = [&](state&& next) {
        const auto [at, is_new] = seen.insert(std::move(next));
        if (is_new) open.push_back(*at);
    };
    while (!open.empty()) {
        const state now = open.back();
        open.pop_back();
        test::reference_memory model(128);
        std::uint64_t used = 0;
        for (const auto& [offset, size] : now) {
            model.put(offset, taken(size));
            used += size;
        }
        for (std::size_t at = 0; at < now.size(); ++at) {
            state next = now;
            next.erase(next.begin() + static_cast<std::ptrdiff_t>(at));
            reach(std::move(next));
        }
        for (const std::uint64_t size : requests) {
            if (used + size > live) continue;
            const std::uint64_t offset = *where(model, size);
            worst = std::max(worst, offset + taken(size));
            state next = now;
            next.insert(std::upper_bound(next.begin(), next.end(), std::pair{offset, size}), {offset, size});
            reach(std::move(next));
        }
    }
    return worst;
}

TEST_SUITE("attacks on placements: all programs") {
    using model = test::reference_memory;
    constexpr auto as_asked = [](std::uint64_t size) { return size; };
    constexpr auto first = [](const model& memory, std::uint64_t size) { return memory.first_fit(size); };
    constexpr auto best = [](const model& memory, std::uint64_t size) { return memory.best_fit(size); };
    constexpr auto halves = [](const model& memory, std::uint64_t size) { return memory.buddy(size); };

    TEST_CASE("no program makes first fit need more than its bound, and the attack is among the worst") {
        const std::uint64_t worst = worst_of_all_programs(8, {1, 2, 3}, first, as_asked);
        CHECK(worst == 15);
        CHECK(static_cast<double>(worst) <= testing::first_fit_bound(8, 3));
        CHECK(worst_of_all_programs(7, {1, 2, 3, 4}, first, as_asked) <= testing::first_fit_bound(7, 4));
        // With so few of sizes 1 and 2 the attack does the worst there is.
        CHECK(worst_of_all_programs(8, {1, 2}, first, as_asked) == needed<first_fit>(attack::first_fit, 8, 2));
    }

    TEST_CASE("no program makes best fit need more than the worst conceivable") {
        CHECK(worst_of_all_programs(7, {1, 2, 3}, best, as_asked) <= testing::hole_taker_bound(7, 3));
        CHECK(worst_of_all_programs(6, {1, 2}, best, as_asked) <= testing::hole_taker_bound(6, 2));
    }

    TEST_CASE(
        "no program of powers of two makes buddy need more than its bound, and the attack does the worst there is") {
        for (const auto [live, largest] : {sizes{4, 2}, sizes{6, 2}, sizes{4, 4}, sizes{8, 4}}) {
            std::vector<std::uint64_t> requests;
            for (std::uint64_t size = 1; size <= largest; size *= 2) requests.push_back(size);
            const std::uint64_t worst = worst_of_all_programs(live, requests, halves, model::buddy_size);
            CHECK(worst == testing::buddy_bound(live, largest));
            CHECK(worst == needed<buddy>(attack::buddy, live, largest));
        }
    }
}

}  // namespace
}  // namespace hbm::test::attacks_tests
