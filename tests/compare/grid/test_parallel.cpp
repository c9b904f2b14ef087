// Work on several cores: every piece is done once, and the figures are those of one core. ThreadSanitizer watches.

#include <hbm/hbm.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>

#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "compare/generate/generate.hpp"
#include "compare/grid/result.hpp"
#include "compare/jobs/parallel.hpp"
#include "compare/managers/entry.hpp"
#include "compare/show/records.hpp"

namespace hbm::test::parallel_tests {

using namespace hbm;
using namespace hbm::compare;

namespace {

constexpr manager_entry entries[] = {entry_without_explanation<manager<best_fit>>(),
                                     entry_without_explanation<manager<first_fit>>(),
                                     entry_without_explanation<manager<compacting<good_fit>, evict_lru>>()};

/// Both kinds of limits that decide how a cell is filled, on workloads of different sizes.
std::vector<scenario> some_scenarios() {
    std::vector<scenario> made;
    for (const char* text : {"uniform_churn:operations=400,live=30", "slow_leak:steps=3", "slow_leak:steps=20"}) {
        const trace::workload load = trace::generate(text, 3);
        for (const limit how : {limit::unlimited, limit::given}) {
            scenario& each = made.emplace_back();
            each.load = load;
            each.how = how;
            each.device = tpu::v5e;
        }
    }
    return made;
}

std::string figures(std::size_t jobs) {
    selection who;
    for (const manager_entry& each : entries) who.managers.push_back(&each);
    const std::vector<scenario> all = some_scenarios();
    return result_json({.who = who, .workloads = compare_all(who, all, jobs, false)});
}

}  // namespace

TEST_CASE("each index is worked on once, whatever the number of jobs") {
    for (const std::size_t jobs : {0U, 1U, 2U, 7U, 40U}) {
        CAPTURE(jobs);
        std::vector<std::atomic<int>> calls(300);
        in_parallel(calls.size(), jobs, [&](std::size_t at) { ++calls[at]; });
        for (const std::atomic<int>& each : calls) CHECK(each == 1);
    }
    in_parallel(0, 4, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("several threads take part") {
    std::atomic<int> waiting{0};
    in_parallel(2, 2, [&](std::size_t) {
        ++waiting;
        while (waiting < 2) std::this_thread::yield();
    });
    CHECK(waiting == 2);
}

TEST_CASE("an exception ends the work and arrives at the caller") {
    for (const std::size_t jobs : {1U, 4U}) {
        std::atomic<int> calls{0};
        CHECK_THROWS_AS(in_parallel(100'000, jobs,
                                    [&](std::size_t at) {
                                        ++calls;
                                        if (at == 10) throw std::runtime_error("ten");
                                    }),
                        std::runtime_error);
        CHECK(calls >= 11);
        CHECK(calls < 100'000);
    }
}

TEST_CASE("the figures of four cores are those of one, to the byte") {
    const std::string one = figures(1);
    CHECK(one.size() > 1000);
    CHECK(figures(4) == one);
    CHECK(figures(0) == one);
}

}  // namespace hbm::test::parallel_tests
