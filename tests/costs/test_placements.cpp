// Steps of calls that placements answer, from 1,000 blocks and holes to 100,000.
#include <hbm/index/fit.hpp>
#include <hbm/index/hole_index.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "holes.hpp"
#include "steps.hpp"

namespace hbm::test::placements_tests {

namespace {

// Steps that do not grow: a search visits up to 1,024 words of the table, and a wide page has 4,224 lists.
constexpr double table = 1300;
constexpr double page = 10'000;

/// Bounds of a placement, as the architecture page states them.
struct placement_bounds {
    bound mean;      // of allocate and free
    bound worst;     // of allocate and free
    bound largest;   // of largest_free_bytes
    double skipped;  // fixed steps of a search that skips empty lists
};
template <class P>
constexpr placement_bounds bounds_of{growth::constant, {growth::n, page}, {growth::n, page}, table};
template <>
constexpr placement_bounds bounds_of<good_fit>{growth::constant, growth::constant, growth::n, 0};
template <>
constexpr placement_bounds bounds_of<first_fit>{growth::log_n, {growth::log_n, 1000}, {growth::log_n, 100}, 0};
template <>
constexpr placement_bounds bounds_of<buddy>{growth::log_n, {growth::n, page}, growth::n, table};

/// An index that searches all blocks, and a placement of it.
struct scanned_holes {
    using quanta = std::uint32_t;
    [[nodiscard]] static block_index find(const block_map<quanta>& map, const need<quanta>& n) {
        for (block_index block = map.first(); block != no_block; block = map.next(block))
            if (map.is_hole(block) && n.admits(map.range(block))) return block;
        return no_block;
    }
};
struct scanning_fit : fit<scanned_holes> {
    using fit<scanned_holes>::fit;
    static constexpr fixed_string name{"scanning_fit"};
};

template <class P>
void expect_bounds(const hole_pattern& pattern) {
    constexpr placement_bounds bounds = bounds_of<P>;
    constexpr bound mean(bounds.mean.by, bounds.skipped);
    step_table steps(std::string(P::name.c_str()) + ", " + pattern.name);
    step_series& frees = steps.add("free", bounds.mean, bounds.worst);
    step_series& pairs = steps.add("allocate, and free", bounds.mean, bounds.worst);
    step_series& allocations = steps.add("allocate", bounds.mean, bounds.worst);
    step_series& longer = steps.add("allocate, longer than all blocks", mean, bounds.worst);
    step_series& runs = steps.add("run of 2 outputs that surely fit", mean, bounds.worst);
    step_series& largest = steps.add("largest_free_bytes", bounds.largest);
    step_series& refusals = steps.add("allocate, refused", bounds.largest);
    // The failure says how long the longest run is. Buddy looks for it among the long holes, which may be few at first.
    step_series& aligned = steps.add("allocate, no hole is aligned", {growth::n, 5 * page});
    for (const std::uint64_t blocks : counts_for<manager<P>>(pattern)) {
        steps.begin(blocks);
        memory_to_free<manager<P>> full(pattern, blocks);
        manager<P>& memory = full.memory;
        for (const buffer freed : full.held) frees.count([&] { return memory.free(freed); });
        for (int call = 0; call < 3; ++call) {
            largest.count([&] { return memory.largest_free_bytes(); });
            const std::uint64_t bytes = memory.largest_free_bytes() + 1;
            refusals.count([&] { return memory.allocate(bytes); });
            aligned.count([&] { return memory.allocate({.bytes = pattern.smallest, .alignment = 1 << 30}); });
        }
        const program step = memory.load({.name = "step", .code = 1}).value();
        run_result ran;
        for (int call = 0; call < 100; ++call) {
            pairs.count([&] { return memory.free(memory.allocate(pattern.smallest).value()); });
            const std::vector<output> outputs{pattern.smallest, pattern.smallest};
            runs.count([&] { return memory.run(step, {.outputs = outputs}, ran); });
            for (const buffer freed : ran.outputs) memory.free(freed);
        }
        for (std::uint64_t at = 0; at < blocks / 2; ++at) {
            const std::uint64_t bytes = pattern.size_of(at, full.draw);
            allocations.count([&] { return memory.allocate(bytes); });
        }
        const std::uint64_t before = memory.live_bytes();
        for (std::uint64_t at = 0; at < blocks / 10; ++at)
            longer.count([&] { return memory.allocate(pattern.longest() + 1); });
        CHECK(memory.live_bytes() > before);
    }
    steps.expect();
}

}  // namespace

TEST_CASE_TEMPLATE("allocate and free: steps keep to the bounds of the placement under each pattern", P, best_fit,
                   best_fit_lifo, good_fit, first_fit, buddy, bfc) {
    for (const hole_pattern& pattern : hole_patterns) expect_bounds<P>(pattern);
}

TEST_CASE("good_fit: steps grow with the holes of a class only if no other class has a hole that fits") {
    step_table steps("good_fit");
    step_series& last = steps.add("the last hole of the class", growth::n);
    step_series& none = steps.add("no hole of the class", growth::n);
    for (const std::uint64_t holes : counts(1000, 100'000)) {
        steps.begin(holes);
        manager<good_fit> memory({.capacity = holes * 2049 + 2050, .quantum = 1});
        std::vector<buffer> freed{memory.allocate(std::uint64_t{2049}).value()};
        static_cast<void>(memory.allocate(std::uint64_t{1}).value());
        for (std::uint64_t at = 0; at < holes; ++at) {
            freed.push_back(memory.allocate(std::uint64_t{2048}).value());
            static_cast<void>(memory.allocate(std::uint64_t{1}).value());
        }
        for (const buffer hole : freed) REQUIRE(memory.free(hole));
        last.count([&] { return memory.allocate(std::uint64_t{2049}).value(); });
        none.count([&] { return memory.allocate(std::uint64_t{2049}); });
    }
    steps.expect();
}

TEST_CASE("free: the steps of a free behind many holes that were freed from the top down are at most linear") {
    const hole_pattern& pattern = hole_patterns[7];
    step_table steps("best_fit");
    step_series& last = steps.add("free behind all others", growth::n);
    for (const std::uint64_t holes : counts_for<manager<best_fit>>(pattern)) {
        steps.begin(holes);
        memory_to_free<manager<best_fit>> full(pattern, holes);
        const buffer highest = full.held.front();
        for (const buffer freed : full.held)
            if (freed != highest) full.memory.free(freed);
        last.count([&] { return full.memory.free(highest); });
    }
    steps.expect();
}

TEST_CASE("a placement that searches all blocks exceeds the bounds") {
    step_series allocations("scanning_fit", growth::log_n, growth::log_n);
    for (const std::uint64_t blocks : {1000u, 10'000u}) {
        allocations.begin(blocks);
        memory_to_free<manager<scanning_fit>> full(hole_patterns[1], blocks);
        for (int call = 0; call < 10; ++call)
            allocations.count([&] { return full.memory.allocate(std::uint64_t{64}); });
    }
    CHECK(allocations.broken().starts_with("scanning_fit: the mean grows too fast"));
}

}  // namespace hbm::test::placements_tests
