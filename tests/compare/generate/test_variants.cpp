// Variants of workloads: valid, deterministic, and as alike as stated.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include "compare/generate/generate.hpp"
#include "compare/generate/variants.hpp"
#include "compare/replay/capacity.hpp"

namespace hbm::test::variants_tests {
namespace {

using trace::op;
using trace::row;
using trace::workload;

workload generated(const char* name) {
    const trace::generate_result result = trace::generate(name, 1);
    REQUIRE(result);
    return *result;
}

/// Checks that each buffer is allocated before it is freed, once, and that it is not live before.
bool is_valid(const workload& load) {
    std::set<trace::id> live;
    for (const row& next : load.rows) {
        if (next.what == op::alloc && !live.insert(next.subject).second) return false;
        if (next.what == op::free && live.erase(next.subject) == 0) return false;
    }
    return true;
}

std::map<std::uint64_t, std::size_t> sizes_of(const workload& load, std::uint64_t unit) {
    std::map<std::uint64_t, std::size_t> counts;
    for (const row& next : load.rows)
        if (next.what == op::alloc) ++counts[(next.bytes + unit - 1) / unit * unit];
    return counts;
}

TEST_CASE("variants: number 0 is the workload, and each other is the same each time") {
    const workload load = generated("uniform_churn");
    CHECK(trace::variant_of(load, 0).rows == load.rows);
    for (std::uint64_t number = 1; number <= 6; ++number) {
        const workload first = trace::variant_of(load, number);
        CHECK(first.rows == trace::variant_of(load, number).rows);
        CHECK_FALSE(first.rows == load.rows);
        CHECK_FALSE(first.rows == trace::variant_of(load, number + 1).rows);
        CHECK(first.times == load.times);
    }
}

TEST_CASE("variants: rows are valid and have the buffers of the workload, rounded as stated") {
    for (const char* name : {"uniform_churn", "slow_leak"}) {
        const workload load = generated(name);
        REQUIRE(is_valid(load));
        constexpr std::uint64_t units[] = {1, 2048, 8192};
        for (std::uint64_t number = 1; number <= 9; ++number) {
            const workload variant = trace::variant_of(load, number);
            CHECK(is_valid(variant));
            CHECK(sizes_of(variant, 1) == sizes_of(load, units[number % 3]));
        }
    }
}

TEST_CASE("variants: the peak differs by little") {
    const workload load = generated("uniform_churn");
    const double peak = static_cast<double>(trace::min_bytes(load, 512));
    for (const std::uint64_t number : {3u, 6u, 9u}) {
        const double varied = static_cast<double>(trace::min_bytes(trace::variant_of(load, number), 512));
        CHECK(varied > 0.97 * peak);
        CHECK(varied < 1.03 * peak);
    }
}

TEST_CASE("variants: one row in fifty is exchanged, and none across a row of another kind") {
    workload load;
    for (std::uint32_t at = 0; at < 10'000; ++at) {
        load.rows.push_back({.bytes = 512 * (at + 1), .subject = at, .what = op::alloc});
        if (at % 10 == 9) load.rows.push_back({.what = op::sync});
    }
    const workload variant = trace::variant_of(load, 3);
    std::size_t moved = 0;
    std::uint32_t step = 0;
    for (std::size_t at = 0; at < load.rows.size(); ++at) {
        CHECK((variant.rows[at].what == op::sync) == (load.rows[at].what == op::sync));
        if (load.rows[at].what == op::sync)
            ++step;
        else
            CHECK(variant.rows[at].subject / 10 == step);
        moved += !(variant.rows[at] == load.rows[at]);
    }
    CHECK(moved > 250);
    CHECK(moved < 550);
}

TEST_CASE("variants: allocations of equal size exchange buffers, and keep their lives valid") {
    workload load;
    for (std::uint32_t at = 0; at < 3000; ++at) {
        load.rows.push_back({.bytes = 512, .subject = 2 * at, .what = op::alloc});
        load.rows.push_back({.bytes = 1024, .subject = 2 * at + 1, .what = op::alloc});
        if (at >= 2) load.rows.push_back({.bytes = 512, .subject = 2 * (at - 2), .what = op::free});
    }
    const workload variant = trace::variant_of(load, 3);
    CHECK(is_valid(variant));
    std::size_t later = 0;  // buffers of 512 bytes that come after a younger one
    std::uint32_t youngest = 0;
    for (const row& next : variant.rows) {
        if (next.what != op::alloc || next.bytes != 512) continue;
        later += next.subject < youngest;
        youngest = std::max(youngest, next.subject);
    }
    CHECK(later > 20);
    CHECK(later < 120);
}

}  // namespace
}  // namespace hbm::test::variants_tests
