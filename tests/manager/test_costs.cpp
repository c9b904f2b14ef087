// Steps that calls must not take, counted inside the placement and the relief policy.
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <vector>

namespace hbm::test::costs_tests {

namespace {

constexpr std::uint64_t q = 512;

/// The counts since `reset`.
struct counters {
    static inline int copies = 0;         // of placements
    static inline int longest_holes = 0;  // that were looked for
    static inline int plans = 0;          // that were looked for

    static void reset() { copies = longest_holes = plans = 0; }
};

template <class P>
struct counted : P {
    using P::P;
    static constexpr fixed_string name{"counted"};

    counted() = default;
    counted(counted&&) = default;
    counted& operator=(counted&&) = default;
    ~counted() = default;
    counted(const counted& other) : P(other) { ++counters::copies; }
    counted& operator=(const counted& other) {
        ++counters::copies;
        P::operator=(other);
        return *this;
    }
    [[nodiscard]] typename P::quanta largest_free() const {
        ++counters::longest_holes;
        return P::largest_free();
    }

    friend bool operator==(const counted&, const counted&) = default;
};

struct counted_relief {
    static constexpr fixed_string name{"counted_relief"};

    template <class Planner>
    [[nodiscard]] std::optional<plan> choose(const Planner& ways) const {
        ++counters::plans;
        return relieve_cheapest{}.choose(ways);
    }
    friend bool operator==(const counted_relief&, const counted_relief&) = default;
};

/// Runs in a memory of many equal holes and a long one.
template <class P>
void expect_few_steps(const std::vector<std::uint64_t>& quanta) {
    manager<counted<P>> memory{{.capacity = 4096 * q}};
    std::vector<buffer> gaps;
    for (int at = 0; at < 100; ++at) {
        gaps.push_back(*memory.allocate(8 * q));
        REQUIRE(memory.allocate(8 * q));
    }
    for (const buffer gap : gaps) REQUIRE(memory.free(gap));
    const auto program = memory.load({.name = "p", .code = 8 * q});
    REQUIRE(program);
    std::vector<output> outputs;
    for (const std::uint64_t size : quanta) outputs.emplace_back(size * q);
    counters::reset();
    const auto ran = memory.run(*program, {.outputs = outputs});
    CHECK(counters::copies == 0);
    CHECK(counters::longest_holes == 0);
    REQUIRE(ran);
    for (std::size_t at = 0; at < quanta.size(); ++at) CHECK(memory.where(ran->outputs[at]).size >= quanta[at] * q);
}

}  // namespace

TEST_CASE("run: looks neither for the longest hole nor copies the placement where outputs surely fit") {
    for (const std::vector<std::uint64_t>& quanta :
         {std::vector<std::uint64_t>{7}, std::vector<std::uint64_t>{7, 7}, std::vector<std::uint64_t>{3, 100, 1, 30}}) {
        CAPTURE(quanta.size());
        expect_few_steps<best_fit>(quanta);
        expect_few_steps<best_fit_lifo>(quanta);
        expect_few_steps<good_fit>(quanta);
        expect_few_steps<first_fit>(quanta);
        expect_few_steps<buddy>(quanta);
        expect_few_steps<bfc>(quanta);
    }
}

TEST_CASE("allocate: what is longer than all that could be free is refused without planning or copies") {
    manager<counted<bottom_reserve<compacting<best_fit>>>, evict_lru, never_donate, counted_relief> memory{
        {.capacity = 100 * q, .runs_in_flight = 2}};
    const auto program = memory.load({.name = "p", .code = 10 * q, .scratch = 20 * q});
    REQUIRE(program);
    const auto freed = memory.allocate(10 * q);
    const auto kept = memory.allocate(40 * q);
    REQUIRE(kept);
    const auto ran = memory.run(*program, {.inputs = {*freed}});
    REQUIRE(ran);
    REQUIRE(memory.free(*freed, ran->over));
    const auto before = memory;
    // 20 are free, 10 wait to be freed, and 30 are the program's.
    counters::reset();
    const auto refused = memory.allocate(61 * q);
    CHECK(counters::copies == 0);
    CHECK(counters::plans == 0);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().reason == error::buffer_does_not_fit);
    CHECK(refused.error().free == 20 * q);
    CHECK(refused.error().largest_free == 20 * q);
    CHECK(refused.error().reserved == 20 * q);
    CHECK(refused.error().reservable == 20 * q);
    CHECK(memory == before);

    counters::reset();
    REQUIRE_FALSE(memory.load({.name = "long", .code = 61 * q}));
    REQUIRE_FALSE(memory.load({.name = "long", .code = q, .scratch = 60 * q}));
    CHECK(counters::plans == 0);
    CHECK(memory.allocate(60 * q));
    CHECK(counters::plans == 1);
}

TEST_CASE("allocate: where only waiting could help and there is nothing to wait for, nothing is copied") {
    manager<counted<best_fit>> memory{{.capacity = 10 * q}};
    const auto first = memory.allocate(4 * q);
    REQUIRE(memory.allocate(2 * q));
    REQUIRE(memory.free(*first));
    counters::reset();
    const auto refused = memory.allocate(5 * q);  // 8 are free
    REQUIRE_FALSE(refused);
    CHECK(refused.error().free == 8 * q);
    CHECK(counters::copies == 0);
}

}  // namespace hbm::test::costs_tests
