// Steps of the calls on streams, as work in flight, holds and deferred frees become many.
#include <hbm/hbm.hpp>
#include <hbm/manager/streams.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "steps.hpp"

namespace hbm::test::streams_tests {

namespace {

constexpr std::uint64_t unit = 64;
using on_streams = manager<streams<best_fit, 2>>;

}  // namespace

TEST_CASE("streams: steps of a call grow like sorting the work in flight at most, those on buffers not at all") {
    step_table steps("streams, as much work in flight as deferred frees");
    step_series& allocations = steps.add("allocate, and free", growth::constant);
    step_series& issues = steps.add("issue", growth::n);
    step_series& waits = steps.add("wait", growth::n);
    step_series& runs = steps.add("run", growth::n_log_n);
    step_series& reads = steps.add("issued, reached", growth::constant);
    step_series& questions = steps.add("is_over", growth::log_n);
    step_series& times = steps.add("nanoseconds_until", growth::n);
    step_series& retires = steps.add("retire of the oldest", growth::n_log_n);
    step_series& syncs = steps.add("sync", growth::n_log_n);
    for (const std::uint32_t flights : {10u, 100u, 1000u}) {
        steps.begin(flights);
        on_streams memory({.capacity = (flights + 64) * 4 * unit, .quantum = 1, .runs_in_flight = 2 * flights});
        memory.reserve_metadata(4 * flights, 4 * flights);
        const program step = memory.load({.name = "step", .code = unit}).value();
        std::vector<buffer> held;
        for (std::uint32_t at = 0; at < 2 * flights; ++at) held.push_back(memory.allocate(unit).value());
        const auto issue = [&](std::size_t at) {
            const std::vector<buffer> uses{held[at]};
            return memory.issue({.on = {static_cast<std::uint32_t>(at % 2)}, .uses = uses, .us = 1});
        };
        for (std::size_t at = 0; at < flights; ++at) issues.count([&] { return issue(at).value(); });
        CHECK(memory.flights().size() == flights);
        for (std::size_t at = flights; at < held.size(); ++at) REQUIRE(memory.free(held[at], memory.issued()));
        run_result ran;
        for (std::size_t call = 0; call < 5; ++call) {
            allocations.count([&] { return memory.free(memory.allocate(unit).value()); });
            waits.count([&] { return memory.wait({1}, memory.issued({0})); });
            runs.count([&] { return memory.run(step, {}, ran, {0}); });
            reads.count([&] { return memory.issued({1}).number + memory.reached({1}).number; });
            questions.count([&] { return memory.is_over(ran.over); });
            times.count([&] { return memory.nanoseconds_until(ran.over); });
        }
        retires.count([&] { return memory.retire(memory.flights().front().over); });
        syncs.count([&] { memory.sync(); });
        CHECK(memory.flights().empty());
        CHECK(memory.live_bytes() == (flights + 1) * unit);
    }
    steps.expect();
}

TEST_CASE("streams: steps are linear in deferred frees where frees take effect, and constant elsewhere") {
    step_table steps("streams, deferred frees");
    step_series& defers = steps.add("free until a fence", growth::constant, {growth::n, 100});
    step_series& allocations = steps.add("allocate, and free", growth::constant);
    step_series& issues = steps.add("issue", growth::constant);
    step_series& early = steps.add("retire, no free takes effect", growth::n);
    step_series& retires = steps.add("retire, all frees take effect", growth::n);
    for (const std::uint64_t frees : counts(1000, 100'000)) {
        steps.begin(frees);
        on_streams memory({.capacity = (frees + 64) * 2 * unit, .quantum = 1, .runs_in_flight = 64});
        memory.reserve_metadata(2 * frees, frees);
        std::vector<buffer> held;
        for (std::uint64_t at = 0; at < frees; ++at) held.push_back(memory.allocate(unit).value());
        const fence first = memory.issue({.on = {0}, .us = 1}).value();
        const fence last = memory.issue({.on = {1}, .us = 1}).value();
        for (const buffer freed : held) defers.count([&] { return memory.free(freed, last); });
        for (int call = 0; call < 10; ++call) {
            allocations.count([&] { return memory.free(memory.allocate(unit).value()); });
            issues.count([&] { return memory.issue({.on = {0}, .us = 1}); });
        }
        early.count([&] { return memory.retire(first); });
        retires.count([&] { return memory.retire(last); });
        CHECK(memory.live_bytes() == 0);
    }
    steps.expect();
}

}  // namespace hbm::test::streams_tests
