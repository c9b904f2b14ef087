// Values of the user by handle, against a map.
#include <hbm/blocks/buffer_table.hpp>
#include <hbm/hbm.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace hbm::test::buffer_table_tests {
namespace {

constexpr std::uint64_t q = 512;

TEST_CASE("buffer_table: finds the value of each live buffer, and none of a buffer that is gone") {
    manager<best_fit> memory{{.name = "small", .capacity = 256 * q}};
    testing::random_numbers random(1);
    buffer_table<std::uint64_t> values;
    std::vector<std::pair<buffer, std::uint64_t>> live;
    std::vector<buffer> gone;
    for (std::uint64_t operation = 0; operation < 4000; ++operation) {
        if (random.once_in(2) || live.empty()) {
            const auto block = memory.allocate((1 + random.below(8)) * q);
            if (!block) continue;
            REQUIRE(values.find(*block) == nullptr);
            values[*block] = operation;
            live.emplace_back(*block, operation);
        } else {
            std::swap(live[random.below(live.size())], live.back());
            const buffer freed = live.back().first;
            live.pop_back();
            if (random.once_in(2)) {
                values.erase(freed);
                REQUIRE(values.find(freed) == nullptr);
            }
            REQUIRE(memory.free(freed));
            gone.push_back(freed);
        }
        for (const auto& [block, value] : live) {
            REQUIRE(values.find(block) != nullptr);
            REQUIRE(*values.find(block) == value);
            REQUIRE(values.find(block.index, block.generation) == values.find(block));
            REQUIRE(values.find(block.index, block.generation + 4) == nullptr);
        }
    }
    // The place of a freed buffer keeps its value until another buffer takes it; the handle's generation tells them
    // apart.
    for (const auto& [block, value] : live)
        for (const buffer freed : gone)
            if (freed.index == block.index) CHECK(values.find(freed) == nullptr);
    CHECK(values.find(buffer{}) == nullptr);
}

TEST_CASE("buffer_table: a handle of another manager has no value") {
    manager<best_fit> memory{{.name = "small", .capacity = 8 * q}};
    manager<best_fit> other{{.name = "small", .capacity = 8 * q}};
    const auto block = memory.allocate(q);
    const auto foreign = other.allocate(q);
    REQUIRE(block->index == foreign->index);
    buffer_table<int> values;
    values[*block] = 7;
    CHECK(values.find(*foreign) == nullptr);
    values.erase(*foreign);
    REQUIRE(values.find(*block) != nullptr);
    CHECK(*values.find(*block) == 7);
    CHECK(memory.free(*block));
    CHECK(values.find(*block) != nullptr);  // until it is erased, or its place gets another value
    const auto next = memory.allocate(q);
    CHECK(values.find(*next) == nullptr);
    values[*next] = 8;
    CHECK(values.find(*block) == nullptr);
}

TEST_CASE("buffer_table: a value is created once and changed in place") {
    manager<best_fit> memory{{.name = "small", .capacity = 8 * q}};
    const auto block = memory.allocate(q);
    buffer_table<std::vector<int>> lists;
    lists[*block].push_back(1);
    lists[*block].push_back(2);
    CHECK(*lists.find(*block) == std::vector<int>{1, 2});
    buffer_table<std::vector<int>> copy = lists;
    CHECK(copy == lists);
    copy.erase(*block);
    CHECK(copy.find(*block) == nullptr);
    CHECK(lists.find(*block) != nullptr);
}

}  // namespace
}  // namespace hbm::test::buffer_table_tests
