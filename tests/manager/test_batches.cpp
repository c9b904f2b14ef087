// Buffers by the batch, against single calls.
#include <hbm/events/event_log.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/batches.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <span>
#include <testing/seeds.hpp>
#include <vector>

namespace hbm::test::batches_tests {

namespace {

constexpr std::uint64_t q = 512;
template <class P, class Relief = never_relieve>
using heard = manager<P, never_evict, never_donate, Relief, no_device, event_log>;

/// Throws at the first event.
struct throws_once {
    static constexpr fixed_string name{"throws_once"};
    int events = 0;
    void on(const event& /*occurred*/) {
        if (++events == 1) throw events;
    }
    bool operator==(const throws_once&) const = default;
};

request random_request(testing::random_numbers& random) {
    request drawn{.bytes = random.below(12 * q), .label = static_cast<tag>(random.below(3))};
    if (random.once_in(40)) drawn.alignment = 4 * q;
    if (random.once_in(40)) drawn.preferred = side::high;
    drawn.expected = static_cast<lifetime>(random.below(3));
    return drawn;
}

/// Frees and allocates random batches; all that a batch changes is what single calls change in a copy.
template <class Memory>
void compare_with_single_calls(std::uint64_t seed) {
    testing::random_numbers random(seed);
    Memory batched{{.capacity = 400 * q, .quantum = q}};
    std::vector<buffer> held;
    int placed_batches = 0;
    for (int round = 0; round < 200; ++round) {
        std::vector<buffer> freed;
        while (!held.empty() && freed.size() < 12 && !random.once_in(8)) {
            const std::size_t at = random.below(held.size());
            freed.push_back(held[at]);
            held[at] = held.back();
            held.pop_back();
        }
        Memory single = batched.copy();
        for (const buffer ended : freed) REQUIRE(single.free(ended));
        REQUIRE(free_batch(batched, freed));
        REQUIRE(batched == single);

        std::vector<request> wanted(random.below(16));
        for (request& item : wanted) item = random_request(random);
        const Memory before = batched.copy();
        std::vector<buffer> placed(wanted.size());
        const result<done> outcome = allocate_batch(batched, wanted, placed);
        for (std::size_t at = 0; at < wanted.size(); ++at) {
            const result<buffer> one = single.allocate(wanted[at]);
            if (!one) {
                REQUIRE(!outcome);
                CHECK(outcome.error().reason == one.error().reason);
                CHECK(outcome.error().argument == at);
                CHECK(outcome.error().requested == one.error().requested);
                CHECK(outcome.error().label == wanted[at].label);
                CHECK(batched.state() == before.state());
                CHECK(batched.events().events.size() == before.events().events.size() + 1);
                break;
            }
            if (outcome) REQUIRE(placed[at] == *one);
        }
        if (!outcome) continue;
        REQUIRE(batched == single);
        ++placed_batches;
        held.insert(held.end(), placed.begin(), placed.end());
    }
    CHECK(placed_batches > 20);
    CHECK(placed_batches < 200);
}

}  // namespace

TEST_CASE("batches: have the effects and events of single calls") {
    for (std::uint64_t seed = 0; seed < seeds_to_try(10); ++seed) {
        CAPTURE(seed);
        compare_with_single_calls<heard<best_fit>>(seed);
        compare_with_single_calls<heard<best_fit_lifo>>(seed);
        compare_with_single_calls<heard<bottom_reserve<compacting<best_fit_lifo>>>>(seed);
        compare_with_single_calls<heard<good_fit>>(seed);
        compare_with_single_calls<heard<first_fit>>(seed);
        compare_with_single_calls<heard<buddy>>(seed);
        compare_with_single_calls<heard<bfc>>(seed);
        compare_with_single_calls<heard<lifetimes_apart<best_fit>>>(seed);
    }
}

TEST_CASE("batches: a manager without observer places as one with") {
    manager<best_fit> plain{{.capacity = 100 * q, .quantum = q}};
    heard<best_fit, relieve_cheapest> observed{{.capacity = 100 * q, .quantum = q}, {.salt = plain.state().salt}};
    const std::array<unsigned, 4> sizes{3 * q, 1, 7 * q, q};
    std::array<buffer, 4> first;
    std::array<buffer, 4> second;
    REQUIRE(allocate_batch(plain, sizes, first));
    REQUIRE(allocate_batch(observed, sizes, second));
    CHECK(first == second);
    CHECK(plain.where(first[2]) == extent{4 * q, 7 * q});
    REQUIRE(free_batch(plain, first));
    REQUIRE(free_batch(observed, second));
    CHECK(plain.state() == observed.state());
    CHECK(plain.free_bytes() == 100 * q);
    CHECK(observed.events().events.size() == 8);
}

TEST_CASE("batches: relief makes room for all items, or none") {
    manager<compacting<best_fit>> memory{{.capacity = 12 * q, .quantum = q}};
    std::array<buffer, 6> held;
    REQUIRE(allocate_batch(memory, std::vector<std::uint64_t>(6, 2 * q), held));
    REQUIRE(free_batch(memory, std::array{held[0], held[2], held[4]}));
    std::array<buffer, 2> placed;
    const std::array<std::uint64_t, 2> too_much{3 * q, 4 * q};
    const auto before = memory.copy();
    const result<done> refused = allocate_batch(memory, too_much, placed);
    REQUIRE(!refused);
    CHECK(refused.error().reason == error::buffer_does_not_fit);
    CHECK(memory == before);
    CHECK(placed == std::array<buffer, 2>{});
    REQUIRE(allocate_batch(memory, std::array<std::uint64_t, 2>{3 * q, 3 * q}, placed));
    CHECK(memory.free_bytes() == 0);
    CHECK(memory.done_so_far().moves != 0);
    CHECK(memory.done_so_far().relieved == 1);
}

TEST_CASE("batches: a failure names the item and changes nothing") {
    heard<best_fit> memory{{.capacity = 20 * q, .quantum = q}};
    const auto fails = [&](const std::vector<request>& items, std::size_t room, error why, std::uint32_t argument) {
        CAPTURE(error_name(why));
        const auto state = memory.state();
        std::vector<buffer> placed(room);
        const result<done> outcome = allocate_batch(memory, items, placed);
        REQUIRE(!outcome);
        CHECK(outcome.error().reason == why);
        CHECK(outcome.error().argument == argument);
        CHECK(memory.state() == state);
        CHECK(placed == std::vector<buffer>(room));
        CHECK(memory.events().events.back().what == event_kind::failed);
        CHECK(memory.events().events.back().reason == why);
    };
    fails({{.bytes = q}, {.bytes = q}}, 1, error::bad_argument, 1);
    fails({{.bytes = q}, {.bytes = ~std::uint64_t{0}}}, 2, error::size_too_large, 1);
    fails({{.bytes = q}, {.bytes = q, .alignment = 3 * q}}, 2, error::bad_alignment, 1);
    fails({{.bytes = 15 * q}, {.bytes = q}, {.bytes = 5 * q}}, 3, error::buffer_does_not_fit, 2);
    CHECK(memory.events().events.size() == 4);
    CHECK(allocate_batch(memory, std::vector<request>{}, {}));
    CHECK(free_batch(memory, {}));

    manager<best_fit> unusable{{.capacity = 20 * q, .quantum = 3}};
    std::array<buffer, 1> placed;
    CHECK(allocate_batch(unusable, std::array<std::uint64_t, 1>{1}, placed).error().reason == error::bad_quantum);
}

TEST_CASE("batches: free names the first handle that is invalid or listed twice") {
    manager<best_fit> memory{{.capacity = 20 * q, .quantum = q}};
    manager<best_fit> other{{.capacity = 20 * q, .quantum = q}, {.salt = 5}};
    std::array<buffer, 3> held;
    REQUIRE(allocate_batch(memory, std::vector<std::uint64_t>(3, q), held));
    const buffer stale = *memory.allocate(q);
    REQUIRE(memory.free(stale));
    const buffer foreign = *other.allocate(q);
    REQUIRE(memory.pin(held[1]));
    const auto before = memory.copy();
    const auto fails = [&](const std::vector<buffer>& freed, error why, std::uint32_t argument, std::uint32_t first) {
        CAPTURE(error_name(why));
        const result<done> outcome = free_batch(memory, freed);
        REQUIRE(!outcome);
        CHECK(outcome.error().reason == why);
        CHECK(outcome.error().argument == argument);
        CHECK(outcome.error().first_use == first);
        CHECK(memory == before);
    };
    fails({held[0], held[1], stale}, error::stale_handle, 2, no_index);
    fails({held[2], foreign}, error::foreign_handle, 1, no_index);
    fails({buffer{}}, error::stale_handle, 0, no_index);
    fails({held[2], held[0], held[2]}, error::stale_handle, 2, 0);
    fails({held[0], held[1], held[1]}, error::stale_handle, 2, 1);
    REQUIRE(memory.free(held[0]));
    REQUIRE(free_batch(memory, std::array{held[2]}));
    CHECK(memory.free_bytes() == 19 * q);  // not deferred
}

TEST_CASE("batches: free defers buffers that are pinned or in use") {
    manager<best_fit> batched{{.capacity = 40 * q, .quantum = q, .runs_in_flight = 2}};
    const program step = *batched.load({.name = "step", .code = q});
    std::array<buffer, 3> held;
    REQUIRE(allocate_batch(batched, std::vector<std::uint64_t>(3, q), held));
    REQUIRE(batched.pin(held[0]));
    REQUIRE(batched.run(step, {.inputs = {held[1]}}));
    auto single = batched.copy();
    REQUIRE(free_batch(batched, held));
    for (const buffer ended : held) REQUIRE(single.free(ended));
    CHECK(batched == single);
    CHECK(batched.free_bytes() == 37 * q);
    batched.sync();
    CHECK(batched.free_bytes() == 39 * q);
}

TEST_CASE("batches: an exception of the observer leaves once the batch is complete") {
    manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, throws_once> memory{
        {.capacity = 20 * q, .quantum = q}};
    std::array<buffer, 3> held;
    CHECK_THROWS_AS(static_cast<void>(allocate_batch(memory, std::vector<std::uint64_t>(3, q), held)), int);
    CHECK(memory.free_bytes() == 17 * q);
    CHECK(memory.events().events == 3);
    memory.events().events = 0;
    CHECK_THROWS_AS(static_cast<void>(free_batch(memory, held)), int);
    CHECK(memory.free_bytes() == 20 * q);
    CHECK(memory.events().events == 3);
}

TEST_CASE("batches: work while compiling") {
    static_assert([] {
        manager<best_fit> memory{{.capacity = 20 * q, .quantum = q}};
        std::array<buffer, 3> held;
        const std::array<std::uint64_t, 3> sizes{q, 2 * q, 3 * q};
        const bool good = static_cast<bool>(allocate_batch(memory, sizes, held));
        return good && memory.where(held[2]).offset == 3 * q && free_batch(memory, held) &&
               memory.free_bytes() == 20 * q;
    }());
}

}  // namespace hbm::test::batches_tests
