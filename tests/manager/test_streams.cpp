// Several streams: what work holds, how it is ordered, what waiting for it costs, and what ends with it.
#include <hbm/adapt/synchronized.hpp>
#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/event_log.hpp>
#include <hbm/explain/dump.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>
#include <hbm/manager/streams.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::streams_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr stream compute{0}, in{1}, out{2};
constexpr memory_spec flying(std::uint64_t quanta, std::uint32_t runs = 4) {
    return {.name = "flying", .capacity = quanta * q, .runs_in_flight = runs};
}
using three = streams<best_fit, 3>;
using moving = streams<bottom_reserve<compacting<best_fit>>, 3>;

template <class Memory>
std::vector<std::uint64_t> numbers(const Memory& memory) {
    std::vector<std::uint64_t> listed;
    for (const flight& work : memory.flights()) listed.push_back(work.over.number);
    return listed;
}
template <class Memory>
std::vector<std::uint64_t> reached_in(const Memory& memory) {
    std::vector<std::uint64_t> fences;
    for (const event& occurred : memory.events().events)
        if (occurred.what == event_kind::reached) fences.push_back(occurred.from);
    return fences;
}
using list_of_numbers = std::vector<std::uint64_t>;

}  // namespace

TEST_CASE("streams: a type of its own name, in any order of adaptors") {
    CHECK(std::string(three::name.c_str()) == "streams<best_fit,3>");
    CHECK(std::string(streams<first_fit, 12>::name.c_str()) == "streams<first_fit,12>");
    CHECK(time_lines_of<best_fit> == 1);
    CHECK(time_lines_of<three> == 3);
    CHECK(time_lines_of<compacting<bottom_reserve<streams<best_fit, 2>>>> == 2);
    CHECK(compacts<moving>);
    CHECK(reserves<moving>);
}

TEST_CASE("issue: holds buffers until its fence, however often they are listed") {
    manager<three> memory{flying(16)};
    const auto first = memory.allocate(4 * q), second = memory.allocate(2 * q);
    const auto copied = memory.issue({.on = in, .uses = {*first, *second, *first}, .us = 10});
    REQUIRE(copied);
    CHECK(*copied == fence{1});
    CHECK(memory.flights()[0].slot == no_index);
    CHECK(memory.flights()[0].holds == 2);
    CHECK(memory.free(*first));
    CHECK(memory.free_bytes() == 10 * q);
    CHECK(memory.retire(*copied));
    CHECK(memory.free_bytes() == 14 * q);
    for (const block_view& block : memory.blocks()) CHECK(block.holds == 0);
}

TEST_CASE("issue: a buffer that it holds does not move, and an interrupted move is finished first") {
    manager<moving> memory{flying(16)};
    const auto low = memory.allocate(4 * q), high = memory.allocate(2 * q);
    const std::uint64_t place = memory.where(*high).offset;
    CHECK(memory.free(*low));
    CHECK(memory.issue({.uses = {*high}}));
    CHECK(memory.compact(16 * q).moved == 0);
    CHECK(memory.where(*high).offset == place);
    memory.sync();
    CHECK(memory.compact(q).moved == q);
    REQUIRE(memory.moving());
    CHECK(memory.issue({.on = out, .uses = {*high}}));
    CHECK_FALSE(memory.moving());
    CHECK(memory.where(*high).offset == 14 * q);
}

TEST_CASE("issue, wait, run: name the error, and change nothing") {
    manager<three> memory{flying(16)}, other{flying(8)};
    const auto step = memory.load({.name = "step", .code = q});
    const auto good = memory.allocate(q), gone = memory.allocate(q), foreign = other.allocate(q);
    CHECK(memory.free(*gone));
    const auto before = memory;
    CHECK(memory.issue({.on = {3}}).error().reason == error::unknown_stream);
    const auto stale = memory.issue({.on = in, .uses = {*good, *gone}});
    CHECK(stale.error().reason == error::stale_handle);
    CHECK(stale.error().argument == 1);
    CHECK(memory.issue({.uses = {*foreign}}).error().reason == error::foreign_handle);
    CHECK(memory.wait({3}, {}).error().reason == error::unknown_stream);
    CHECK(memory.wait(in, fence{1}).error().reason == error::unknown_fence);
    CHECK(memory.run(*step, {}, {3}).error().reason == error::unknown_stream);
    run_result ran;
    CHECK(memory.run(*step, {}, ran, {7}).error().reason == error::unknown_stream);
    CHECK(memory.free(*good, fence{1}).error().reason == error::unknown_fence);
    CHECK(memory.retire(fence{1}).error().reason == error::unknown_fence);
    CHECK(memory == before);
    CHECK(memory.issued({3}) == fence{});
    CHECK(memory.reached({3}) == fence{});
    CHECK_FALSE(memory.is_over(fence{1}));
    CHECK(memory.nanoseconds_until(fence{1}) == 0);
}

TEST_CASE("streams: work on one is done in order, on several at once, and a wait is a maximum") {
    manager<three> memory{flying(16)};
    const auto copied = memory.issue({.on = in, .us = 10});
    const auto longer = memory.issue({.on = out, .us = 25});
    const auto again = memory.issue({.on = in, .us = 10});
    CHECK(memory.nanoseconds_until(*copied) == 10'000);
    CHECK(memory.nanoseconds_until(*longer) == 25'000);
    CHECK(memory.nanoseconds_until(*again) == 20'000);
    CHECK(numbers(memory) == list_of_numbers{1, 3, 2});
    CHECK(memory.wait(compute, *again));
    CHECK(memory.wait(compute, *longer));
    const auto used = memory.issue({.on = compute, .us = 5});
    CHECK(memory.nanoseconds_until(*used) == 30'000);
    const auto free_of_it = memory.issue({.on = in, .us = 1});
    CHECK(memory.nanoseconds_until(*free_of_it) == 21'000);
    CHECK(numbers(memory) == list_of_numbers{1, 3, 5, 2, 4});
    CHECK(memory.issued() == fence{5});
    CHECK(memory.issued(in) == fence{5});
    CHECK(memory.issued(out) == *longer);
    CHECK(memory.issued(compute) == *used);
}

TEST_CASE("retire: ends what came before on the stream and what that waited for, and nothing else") {
    manager<three> memory{flying(16)};
    const auto first_in = memory.issue({.on = in, .us = 10});
    const auto second_in = memory.issue({.on = in, .us = 10});
    const auto first_out = memory.issue({.on = out, .us = 15});
    CHECK(memory.wait(compute, *first_in));
    const auto computed = memory.issue({.on = compute, .us = 10});
    CHECK(memory.retire(*computed));
    CHECK(memory.is_over(*first_in));
    CHECK(memory.is_over(*computed));
    CHECK_FALSE(memory.is_over(*second_in));
    CHECK_FALSE(memory.is_over(*first_out));
    CHECK(memory.reached() == *first_in);
    CHECK(memory.reached(in) == *first_in);
    CHECK(memory.reached(compute) == *computed);
    CHECK(memory.reached(out) == fence{});
    // Twenty microseconds have passed in the model, which ends both of the others by then.
    CHECK(memory.nanoseconds_until(*second_in) == 0);
    CHECK(memory.nanoseconds_until(*first_out) == 0);
    CHECK(memory.retire(*second_in));
    CHECK_FALSE(memory.is_over(*first_out));
    CHECK(memory.reached() == *second_in);
    CHECK(memory.retire(*first_out));
    CHECK(memory.reached() == memory.issued());
    CHECK(memory.flights().empty());
}

TEST_CASE("wait: passes on what the other stream waited for, and is without effect for a fence that is over") {
    manager<three> memory{flying(16)};
    const auto copied = memory.issue({.on = in, .us = 10});
    CHECK(memory.wait(out, *copied));
    const auto sent = memory.issue({.on = out, .us = 10});
    CHECK(memory.wait(compute, *sent));
    const auto computed = memory.issue({.on = compute});
    CHECK(memory.retire(*computed));
    CHECK(memory.is_over(*copied));
    CHECK(memory.flights().empty());
    const auto before = memory;
    CHECK(memory.wait(in, *computed));
    CHECK(memory == before);
}

TEST_CASE("free: takes a fence of any stream, and sync ends all of them") {
    manager<three> memory{flying(16)};
    const auto held = memory.allocate(4 * q), other = memory.allocate(4 * q);
    const auto slow = memory.issue({.on = in, .us = 10});
    const auto quick = memory.issue({.on = out, .us = 1});
    CHECK(memory.free(*held, *slow));
    CHECK(memory.free(*other, *quick));
    CHECK(memory.retire(*quick));
    CHECK(memory.free_bytes() == 12 * q);
    const auto third = memory.allocate(2 * q);
    CHECK(memory.free(*third, *quick));  // is over: takes effect at once
    CHECK(memory.free_bytes() == 12 * q);
    memory.sync();
    CHECK(memory.free_bytes() == 16 * q);
    CHECK(memory.reached() == memory.issued());
    CHECK(memory.reached(in) == *slow);
}

TEST_CASE("run: is on stream 0 unless it names one, and runs_in_flight counts on each stream") {
    manager<three> memory{flying(64, 2)};
    const auto step = memory.load({.name = "step", .code = q});
    std::array<std::vector<fence>, 2> fences;
    for (int count = 0; count < 2; ++count) {
        fences[0].push_back(memory.run(*step, {.run_us = 10})->over);
        fences[1].push_back(memory.run(*step, {.run_us = 100}, out)->over);
        CHECK(memory.issue({.on = out, .us = 1}));
    }
    CHECK(memory.issued(compute) == fences[0][1]);
    CHECK(memory.done_so_far().waits == 0);
    CHECK(memory.run(*step, {.run_us = 10}));
    CHECK(memory.done_so_far().waits == 1);
    CHECK(memory.done_so_far().wait_nanoseconds == 10'000);
    CHECK(memory.is_over(fences[0][0]));
    CHECK_FALSE(memory.is_over(fences[0][1]));
    CHECK_FALSE(memory.is_over(fences[1][0]));
    run_result ran;
    CHECK(memory.run(*step, {.run_us = 10}, ran, out));
    CHECK(memory.is_over(fences[1][0]));
    CHECK(memory.issued(out) == ran.over);
    CHECK(memory.done_so_far().waits == 2);
    CHECK(memory.done_so_far().wait_nanoseconds == 100'000);
}

TEST_CASE("run: without runs in flight it is over when its call returns, and so is what it waited for") {
    manager<three, never_evict, never_donate, relieve_cheapest, no_device, event_log> memory{flying(16, 0)};
    const auto step = memory.load({.name = "step", .code = q});
    const auto copied = memory.issue({.on = in, .us = 10});
    const auto other = memory.issue({.on = out, .us = 10});
    CHECK(memory.wait(compute, *copied));
    const auto ran = memory.run(*step, {});
    REQUIRE(ran);
    CHECK(memory.is_over(ran->over));
    CHECK(memory.is_over(*copied));
    CHECK_FALSE(memory.is_over(*other));
    CHECK(reached_in(memory) == list_of_numbers{copied->number, ran->over.number});
    CHECK(memory.done_so_far().waits == 0);
}

TEST_CASE("issue: waits for the first that ends if too much is in flight") {
    manager<three> memory{flying(16)};
    std::vector<fence> issued;
    for (std::uint32_t count = 0; count <= max_in_flight; ++count)
        issued.push_back(*memory.issue({.on = {count % 3}, .us = count == 0 ? 9'000u : 1u}));
    CHECK(memory.flights().size() == max_in_flight);
    CHECK_FALSE(memory.is_over(issued[0]));
    CHECK(memory.is_over(issued[1]));
    CHECK(memory.done_so_far().waits == 1);
    CHECK(memory.done_so_far().wait_nanoseconds == 1'000);
}

TEST_CASE_TEMPLATE("streams: relief waits as little as it can, and each fence that it ends is reported", placement,
                   three, streams<compacting<best_fit>, 3>, moving) {
    manager<placement, never_evict, never_donate, relieve_cheapest, no_device, event_log> memory{flying(16)};
    const auto slow = memory.allocate(5 * q), quick = memory.allocate(4 * q), other = memory.allocate(6 * q);
    const auto slow_work = memory.issue({.on = in, .uses = {*slow}, .us = 20});
    const auto quick_work = memory.issue({.on = out, .uses = {*quick}, .us = 5});
    const auto last_work = memory.issue({.on = compute, .uses = {*other}, .us = 30});
    for (const auto& held : {slow, quick, other}) CHECK(memory.free(*held));
    CHECK(memory.plan_for({.bytes = 4 * q}).found->nanoseconds == 5'000);
    REQUIRE(memory.allocate(4 * q));
    CHECK(memory.is_over(*quick_work));
    CHECK_FALSE(memory.is_over(*slow_work));
    CHECK(memory.done_so_far().wait_nanoseconds == 5'000);
    CHECK(memory.plan_for({.bytes = 6 * q}).found->nanoseconds == 25'000);
    REQUIRE(memory.allocate(6 * q));
    CHECK(memory.done_so_far().wait_nanoseconds == 30'000);
    CHECK(memory.done_so_far().waits == 2);
    CHECK(memory.is_over(*last_work));
    CHECK(reached_in(memory) == list_of_numbers{quick_work->number, slow_work->number, last_work->number});
}

TEST_CASE("streams: a move is cheaper than a slow stream, and waiting for a quick one is cheaper than the move") {
    const auto moves_for = [](std::uint64_t us) {
        manager<streams<compacting<best_fit>, 2>> memory{flying(16)};
        const auto low = memory.allocate(4 * q), small = memory.allocate(q), high = memory.allocate(4 * q);
        const auto used = memory.allocate(7 * q);
        CHECK(memory.check(*small) == error::none);
        CHECK(memory.free(*low));
        CHECK(memory.free(*high));
        CHECK(memory.issue({.on = {0}, .us = 1'000}));  // holds nothing: nobody waits for it
        CHECK(memory.issue({.on = {1}, .uses = {*used}, .us = us}));
        CHECK(memory.free(*used));
        REQUIRE(memory.allocate(8 * q));
        return memory.done_so_far().moves;
    };
    CHECK(moves_for(1'000) == 1);
    CHECK(moves_for(1) == 0);
}

TEST_CASE("evict, unload: wait for the runs of a program on all streams, and for nothing else") {
    manager<three, evict_lru> memory{flying(16)};
    const auto step = memory.load({.name = "step", .code = q}), other = memory.load({.name = "other", .code = q});
    const auto first = memory.run(*step, {.run_us = 10}, in);
    const auto second = memory.run(*step, {.run_us = 5}, out);
    const auto last = memory.run(*other, {.run_us = 1});
    const auto work = memory.issue({.on = out});
    CHECK(memory.evict(*step));
    CHECK(memory.is_over(first->over));
    CHECK(memory.is_over(second->over));
    CHECK_FALSE(memory.is_over(last->over));
    CHECK_FALSE(memory.is_over(*work));
    CHECK(memory.unload(*other));
    CHECK(memory.is_over(last->over));
    CHECK(numbers(memory) == list_of_numbers{work->number});
}

TEST_CASE_TEMPLATE("awaited_fence: a caller who retires it, until there is none, makes calls that never wait",
                   placement, three, moving) {
    std::uint64_t awaited = 0;
    for (std::uint64_t seed = 0; seed < seeds_to_try(10); ++seed) {
        manager<placement, evict_lru, donate_fitting> memory{flying(64, 2)};
        testing::random_numbers random(seed);
        const auto step = memory.load({.name = "step", .code = q, .scratch = q});
        std::vector<buffer> held;
        for (int operation = 0; operation < (tries_all_seeds() ? 300 : 150); ++operation) {
            const std::uint64_t bytes = (1 + random.below(12)) * q;
            const stream on{static_cast<std::uint32_t>(random.below(3))};
            if (random.once_in(3) && !held.empty()) {
                CHECK(memory.issue({.on = on, .uses = {held.back()}, .us = random.below(50)}));
                CHECK(memory.free(held.back()));
                held.pop_back();
                if (random.once_in(2)) CHECK(memory.wait({(on.number + 1) % 3}, memory.issued(on)));
                continue;
            }
            const auto call = [&](auto& trial) -> std::optional<buffer> {
                if (operation % 2 == 0) {
                    const auto ran = trial.run(*step, {.outputs = {bytes}, .run_us = 20}, on);
                    return ran ? std::optional(ran->outputs[0]) : std::nullopt;
                }
                const auto block = trial.allocate(bytes);
                return block ? std::optional(*block) : std::nullopt;
            };
            for (fence wait; (wait = awaited_fence(memory, call)) != fence{}; ++awaited) REQUIRE(memory.retire(wait));
            if (const auto block = call(memory)) held.push_back(*block);
        }
        CHECK(memory.done_so_far().waits == 0);
    }
    CHECK((awaited > 100 || !tries_all_seeds()));
}

TEST_CASE("streams: a memory is a value: copies, forks, moves and under carry all of it") {
    manager<moving, evict_lru> memory{flying(16)};
    const auto held = memory.allocate(2 * q);
    CHECK(memory.issue({.on = in, .uses = {*held}, .us = 10}));
    CHECK(memory.wait(out, fence{1}));
    auto copy = memory;
    CHECK(copy == memory);
    CHECK(copy.issue({.on = out, .us = 1}));
    CHECK_FALSE(copy == memory);
    auto fork = memory.fork();
    CHECK(fork.nanoseconds_until(*fork.issue({.on = out, .us = 1})) == 11'000);
    auto other = memory.under<manager<streams<bottom_reserve<compacting<best_fit_lifo>>, 3>>>();
    CHECK(other.nanoseconds_until(*other.issue({.on = out, .us = 1})) == 11'000);
    const auto taken = static_cast<manager<moving, evict_lru>&&>(memory);
    CHECK(taken.flights().size() == 1);
    CHECK(memory.issued(in) == fence{});
    CHECK(memory.flights().empty());
}

TEST_CASE("streams: prices do not overflow, and what comes later stays later") {
    manager<three> memory{flying(16)};
    constexpr std::uint64_t longest = ~std::uint64_t{0};
    const auto first = memory.issue({.on = in, .us = longest});
    const auto second = memory.issue({.on = in, .us = longest});
    CHECK(memory.wait(out, *second));
    const auto third = memory.issue({.on = out, .us = 1});
    CHECK(numbers(memory) == list_of_numbers{1, 2, 3});
    for (const fence until : {*first, *second, *third}) CHECK(memory.nanoseconds_until(until) == longest);
    CHECK(memory.retire(*first));
    CHECK(memory.nanoseconds_until(*third) == 0);
}

TEST_CASE("dump: names work of one's own") {
    manager<three> memory{flying(16)};
    const auto held = memory.allocate(q, "batch");
    CHECK(memory.issue({.on = in, .uses = {*held}, .us = 10}));
    const auto refused = memory.allocate(16 * q);
    CHECK(to_text(dump(memory, refused.error())).find("work of your own") != std::string::npos);
}

TEST_CASE("streams: a manager behind a mutex, or with pointers, has the calls") {
    synchronized<manager<three>, no_mutex> locked(flying(16));
    const auto step = locked.load({.name = "step", .code = q});
    const auto held = locked.allocate(q);
    const auto copied = locked.issue({.on = in, .uses = {*held}, .us = 10});
    CHECK(locked.wait(compute, *copied));
    const auto ran = locked.run(*step, {.run_us = 1}, compute);
    run_result again;
    CHECK(locked.run(*step, {.run_us = 1}, again, out));
    CHECK(locked.nanoseconds_until(ran->over) == 11'000);
    CHECK(locked.issued(out) == again.over);
    CHECK(locked.reached(out) == fence{});
    CHECK_FALSE(locked.is_over(*copied));
    CHECK(awaited_fence(locked, [&](auto& trial) { return trial.unload(*step); }) == ran->over);
}

static_assert([] {
    manager<three> memory{flying(8)};
    const auto held = memory.allocate(q);
    const auto copied = memory.issue({.on = in, .uses = {*held}, .us = 2});
    memory.wait(out, *copied);
    const auto sent = memory.issue({.on = out, .uses = {*held}, .us = 2});
    memory.free(*held);
    return memory.nanoseconds_until(*sent) == 4'000 && memory.retire(*sent) && memory.free_bytes() == 8 * q;
}());

}  // namespace hbm::test::streams_tests
