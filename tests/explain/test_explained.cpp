// Explanations and dumps compiled once say what explain() and dump() say.
#include <hbm/explain/explain.hpp>
#include <hbm/explain/explained.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "explain/explain_support.hpp"

namespace hbm::test::explained_tests {

TEST_CASE("explained: the text of explain, for attempts and for failures") {
    using subject = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_same_size>;
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        testing::random_numbers random(seed);
        random_memory<subject> some(random, 16 + random.below(60), 40, 60);
        some.attempt_something([&](const attempt& tried) {
            const subject& memory = some.memory();
            CHECK(explained(memory, tried) == explain(memory, tried));
            auto fork = memory.fork();
            const failure why = tried.on(fork);
            if (why.reason == error::none) return;
            ++failures;
            CHECK(explained(fork, why) == explain(fork, why));
            CHECK(explained(fork, why, {.effort = 10}) == explain(fork, why, {.effort = 10}));
        });
    }
    CHECK(failures > 10);
}

TEST_CASE_TEMPLATE("dumped: the text of dump", Quanta, std::uint32_t, std::uint64_t) {
    manager<bottom_reserve<compacting<basic_best_fit<Quanta>>>, evict_lru> memory{{.capacity = 20 * q}};
    REQUIRE(memory.load({.name = "step", .code = 2 * q, .scratch = 3 * q}));
    REQUIRE(memory.allocate(4 * q, "batch"));
    const failure why = memory.allocate(21 * q, "x").error();
    CHECK(dumped(memory, why) == to_text(dump(memory, why)));
    CHECK(dumped(memory, why, {.most = 1}) == to_text(dump(memory, why, {.most = 1})));
}

TEST_CASE("explained: a move that has stopped in the middle counts as finished") {
    manager<compacting<first_fit>> memory{{.capacity = 100 * q}};
    const auto hole = memory.allocate(7 * q, "hole");
    REQUIRE(memory.allocate(30 * q, "moved"));
    const auto pinned = memory.allocate(15 * q, "pinned");
    REQUIRE(memory.free(*hole));
    REQUIRE(memory.pin(*pinned));
    REQUIRE(memory.compact(10 * q).moved == 10 * q);
    REQUIRE(memory.moving());
    const failure why = memory.allocate(54 * q, "x").error();
    REQUIRE(why.reason == error::buffer_does_not_fit);
    CHECK(explained(memory, why) == explain(memory, why));
}

}  // namespace hbm::test::explained_tests
