#include <hbm/adapt/detail/block_table.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <manager/host_allocations.hpp>
#include <map>

namespace hbm::test::block_table_tests {

namespace {

/// Random changes, of offsets that are multiples of `step`, against a map.
template <class Quanta>
void compare_with_map(std::uint64_t seed, Quanta step, std::uint64_t offsets) {
    CAPTURE(seed);
    CAPTURE(step);
    testing::random_numbers random(seed);
    block_table<Quanta> table;
    std::map<Quanta, block_index> expected;
    for (int change = 0; change < 4000; ++change) {
        CAPTURE(change);
        const auto offset = static_cast<Quanta>(step * static_cast<Quanta>(random.below(offsets)));
        const auto found = expected.find(offset);
        REQUIRE(table.find(offset) == (found == expected.end() ? no_block : found->second));
        if (found != expected.end()) {
            REQUIRE(table.erase(offset) == found->second);
            expected.erase(found);
        } else {
            REQUIRE(table.erase(offset) == no_block);
            const auto block = static_cast<block_index>(random.below(1000));
            table.insert(offset, block);
            expected[offset] = block;
        }
        REQUIRE(table.size() == expected.size());
    }
    for (const auto& [offset, block] : expected) CHECK(table.find(offset) == block);
}

}  // namespace

TEST_CASE("a table of blocks finds what a map finds") {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        compare_with_map<std::uint32_t>(seed, 1, 40);
        compare_with_map<std::uint32_t>(seed, 1 << 20, 300);
        compare_with_map<std::uint64_t>(seed, std::uint64_t{1} << 40, 1000);
        compare_with_map<std::uint64_t>(seed, 3, 5000);
    }
}

TEST_CASE("an empty table knows nothing, and tables with the same blocks are equal") {
    block_table<std::uint32_t> a;
    CHECK(a.find(0) == no_block);
    CHECK(a.erase(0) == no_block);
    block_table<std::uint32_t> b;
    b.reserve(1000);
    CHECK(a == b);
    for (std::uint32_t at = 0; at < 100; ++at) a.insert(at * 8, at), b.insert((99 - at) * 8, 99 - at);
    CHECK(a == b);
    b.erase(8);
    CHECK(!(a == b));
    b.insert(8, 7);
    CHECK(!(a == b));
}

TEST_CASE("a table that was large enough once does not ask the host again") {
    block_table<std::uint32_t> table;
    table.reserve(500);
    const std::size_t before = host_allocations();
    for (std::uint32_t round = 0; round < 50; ++round) {
        for (std::uint32_t at = 0; at < 500; ++at) table.insert(at * 64 + round, at);
        for (std::uint32_t at = 0; at < 500; ++at) table.erase(at * 64 + round);
    }
    CHECK(host_allocations() == before);
    CHECK(table.size() == 0);
}

}  // namespace hbm::test::block_table_tests
