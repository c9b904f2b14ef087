// Which of two managers needs less for a workload of sizes and lifetimes.
#include <hbm/better.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <concepts>
#include <support/managers.hpp>
#include <testing/seeds.hpp>
#include <vector>

#include "support/reference_memory.hpp"

namespace hbm::test::better_tests {

constexpr std::uint64_t q = 512;
using best = manager<best_fit>;
using first = manager<first_fit>;

// The 2 leave a hole of 2 below a hole of 1: best fit keeps the 2 for what needs it, first fit does not.
constexpr timed_buffer holes[] = {{2 * q, 0, 1}, {q, 0, 9}, {q, 0, 1}, {q, 0, 9}, {q, 1, 9}, {2 * q, 1, 9}};
constexpr timed_workload for_best{.buffers = holes};
static_assert(bytes_needed<best, for_best>() == 5 * q);
static_assert(bytes_needed<best, for_best, needed::footprint>() == 5 * q);
static_assert(bytes_needed<first, for_best>() > 5 * q);
static_assert(std::same_as<better_of<best, first, for_best>, best>);
static_assert(std::same_as<better_of<first, best, for_best>, best>);
static_assert(std::same_as<better_of<first, best, for_best, needed::footprint>, best>);

// The first of two that need the same.
constexpr timed_buffer stack[] = {{q, 0, 4}, {2 * q, 1, 3}, {q, 2, 3}};
constexpr timed_workload simple{.buffers = stack};
static_assert(bytes_needed<best, simple>() == 4 * q);
static_assert(std::same_as<better_of<best, first, simple>, best>);
static_assert(std::same_as<better_of<first, best, simple>, first>);

// A manager that places at the top has a capacity, but no footprint; one that moves needs no more than what is live.
using top = manager<bottom_reserve<compacting<best_fit>>>;
static_assert(bytes_needed<top, for_best>() == 5 * q);
static_assert(bytes_needed<top, for_best, needed::footprint>() == ~std::uint64_t{0});
static_assert(std::same_as<better_of<top, best, for_best, needed::footprint>, best>);

// Buddy rounds to powers of two.
constexpr timed_buffer threes[] = {{3 * q, 0, 2}, {3 * q, 0, 2}, {3 * q, 1, 2}};
constexpr timed_workload uneven{.buffers = threes};
static_assert(bytes_needed<best, uneven>() == 9 * q);
static_assert(bytes_needed<manager<buddy>, uneven>() == 12 * q);
static_assert(std::same_as<better_of<manager<buddy>, best, uneven>, best>);

// Splitting an unlimited memory in halves leaves many holes, each in a list of its own.
static_assert(bytes_needed<manager<buddy>, for_best>() >= 5 * q);
static_assert(bytes_needed<manager<buddy, evict_lru>, for_best>() == bytes_needed<manager<buddy>, for_best>());

// What completes nowhere, needs nothing, or does not live.
constexpr timed_buffer endless[] = {{~std::uint64_t{0}, 0, 1}};
constexpr timed_workload hopeless{.buffers = endless};
static_assert(bytes_needed<best, hopeless>() == ~std::uint64_t{0});
static_assert(std::same_as<better_of<first, best, hopeless>, first>);
constexpr timed_workload empty{};
static_assert(bytes_needed<best, empty>() == 0);
constexpr timed_buffer dead[] = {{q, 3, 3}, {q, 3, 2}, {0, 1, 2}};
constexpr timed_workload hardly{.buffers = dead};
static_assert(bytes_needed<best, hardly>() == q);
constexpr timed_workload wrong{.buffers = stack, .quantum = 3};
static_assert(bytes_needed<best, wrong>() == ~std::uint64_t{0});
constexpr timed_workload fine{.buffers = stack, .quantum = 256};
static_assert(bytes_needed<xla_bfc, fine>() >= 4 * q);

// What is freed at a time is free for what is allocated then, wherever it stands in the list.
constexpr timed_buffer handed_over[] = {{4 * q, 5, 6}, {4 * q, 2, 5}};
constexpr timed_workload turns{.buffers = handed_over};
static_assert(bytes_needed<best, turns>() == 4 * q);

TEST_CASE("a replay has the footprint that the reference model has") {
    for_each_seed(200, 30, [](std::uint64_t seed, std::uint32_t length) {
        testing::random_numbers random(seed);
        std::vector<timed_buffer> buffers;
        for (std::uint32_t i = 0; i < length; ++i) {
            const auto from = static_cast<std::uint32_t>(random.below(20));
            buffers.push_back({random.below(9 * q), from, from + static_cast<std::uint32_t>(random.below(8))});
        }
        // In quanta.
        test::reference_memory model(1'000'000);
        std::vector<std::uint64_t> offsets(length);
        std::uint64_t footprint = 0;
        for (std::uint32_t now = 0; now < 32; ++now) {
            for (std::uint32_t i = 0; i < length; ++i)
                if (buffers[i].until == now && buffers[i].from < now) model.end(offsets[i]);
            for (std::uint32_t i = 0; i < length; ++i) {
                if (buffers[i].from != now || buffers[i].until <= now) continue;
                const std::uint64_t size = buffers[i].bytes == 0 ? 1 : (buffers[i].bytes + q - 1) / q;
                offsets[i] = *model.best_fit(size);
                model.put(offsets[i], size);
                if (offsets[i] + size > footprint) footprint = offsets[i] + size;
            }
        }
        const timed_outcome found = replay_timed<best>(best::unlimited(), buffers);
        testing::outcome outcome{.subject = "best_fit", .seed = seed, .step = length};
        if (!found.completed) outcome.broken = "a workload does not complete in unlimited memory";
        if (found.footprint != footprint * q) outcome.broken = "the footprint is not that of the reference model";
        return outcome;
    });
}

}  // namespace hbm::test::better_tests
