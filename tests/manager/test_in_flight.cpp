#include <hbm/donation/donate_fitting.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/awaited_fence.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/planning/relief_policies.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <support/managers.hpp>
#include <testing/seeds.hpp>
#include <vector>

#include "testing/seeds.hpp"

// The fence that a call would wait for: asked first, reached by the caller, and then the call waits for nothing.

namespace hbm::test::awaited_fence_tests {
namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec in_flight(std::uint64_t quanta, std::uint32_t runs) {
    return {.name = "in flight", .capacity = quanta * q, .runs_in_flight = runs};
}
using moving = manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting>;

TEST_CASE_TEMPLATE("awaited_fence: is that of the run whose memory a request needs", memory_type, manager<best_fit>,
                   moving) {
    memory_type memory{in_flight(16, 4)};
    const auto step = memory.load({.name = "step", .code = q});
    const auto second = memory.allocate(4 * q);
    const auto first = memory.allocate(4 * q);
    const auto reads_first = memory.run(*step, {.inputs = {*first}});
    const auto reads_second = memory.run(*step, {.inputs = {*second}});
    REQUIRE(reads_second);
    memory.free(*first);
    memory.free(*second);
    const auto untouched = memory;
    CHECK(awaited_fence(memory, [](auto& trial) { return trial.allocate(7 * q); }) == fence{});
    CHECK(awaited_fence(memory, [](auto& trial) { return trial.allocate(11 * q); }) == reads_first->over);
    CHECK(awaited_fence(memory, [](auto& trial) { return trial.allocate(15 * q); }) == reads_second->over);
    CHECK(awaited_fence(memory, [&](auto& trial) { return trial.unload(*step); }) == reads_second->over);
    CHECK(memory == untouched);
}

TEST_CASE("awaited_fence: is that of the oldest run if too many are in flight") {
    manager<best_fit> memory{in_flight(16, 2)};
    const auto step = memory.load({.name = "step", .code = q});
    const auto run = [&](auto& trial) { return trial.run(*step, {.outputs = {q}}); };
    std::vector<fence> issued;
    for (int count = 0; count < 2; ++count) {
        CHECK(awaited_fence(memory, run) == fence{});
        issued.push_back(run(memory)->over);
    }
    CHECK(memory.reached() == fence{});
    CHECK(awaited_fence(memory, run) == issued[0]);
    memory.sync();
    CHECK(awaited_fence(memory, run) == fence{});
}

TEST_CASE_TEMPLATE("awaited_fence: a caller who retires it first makes calls that never wait", memory_type,
                   manager<best_fit>, moving, manager<compacting<best_fit>, never_evict, donate_same_size>) {
    std::uint64_t awaited = 0;
    for (std::uint64_t seed = 0; seed < seeds_to_try(20); ++seed) {
        manager<typename memory_type::placement_type, evict_lru, donate_fitting, relieve_cheapest, no_device, event_log>
            memory{in_flight(64, 3)};
        testing::random_numbers random(seed);
        const auto step = memory.load({.name = "step", .code = q, .scratch = q});
        REQUIRE(step);
        std::vector<buffer> held;
        for (int operation = 0; operation < (tries_all_seeds() ? 300 : 150); ++operation) {
            const std::uint64_t bytes = (1 + random.below(12)) * q;
            if (random.once_in(3) && !held.empty()) {
                memory.free(held.back());
                held.pop_back();
                continue;
            }
            const auto call = [&](auto& trial) -> std::optional<buffer> {
                if (operation % 2 == 0) {
                    const auto ran = trial.run(*step, {.outputs = {bytes}});
                    return ran ? std::optional(ran->outputs[0]) : std::nullopt;
                }
                const auto block = trial.allocate(bytes);
                return block ? std::optional(*block) : std::nullopt;
            };
            const fence wait = awaited_fence(memory, call);
            if (wait != fence{}) {
                ++awaited;
                REQUIRE(memory.retire(wait));
            }
            const fence reached = memory.reached();
            if (const auto block = call(memory)) held.push_back(*block);
            REQUIRE(memory.reached() == reached);
        }
        CHECK(memory.done_so_far().waits == 0);
    }
    CHECK((awaited > 100 || !tries_all_seeds()));
}

}  // namespace
}  // namespace hbm::test::awaited_fence_tests

// Runs in flight: what they hold, for how long, and what waiting for them costs.

namespace hbm::test::in_flight_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec flying(std::uint64_t quanta, std::uint32_t runs = max_in_flight) {
    return {.name = "flying", .capacity = quanta * q, .runs_in_flight = runs};
}

}  // namespace

TEST_CASE_TEMPLATE("in flight: a run that donates a block in use waits for what the block gives back", memory_type,
                   manager<best_fit, never_evict, donate_fitting>,
                   manager<compacting<best_fit>, never_evict, donate_fitting>,
                   manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting>,
                   manager<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting, compact_first>) {
    memory_type memory{flying(5)};
    const auto step = memory.load({.name = "step", .code = q, .scratch = q});
    const auto donor = memory.allocate(2 * q);
    const auto shorter = memory.run(*step, {.donated = {*donor}, .outputs = {q}});
    REQUIRE(shorter);
    REQUIRE(shorter->donated == 1);
    const auto longer = memory.run(*step, {.donated = {shorter->outputs[0]}, .outputs = {2 * q}});
    REQUIRE(longer);
    CHECK(longer->donated == 0);
    CHECK(memory.done_so_far().waits == 1);
    memory.sync();
    CHECK(memory.live_bytes() == 4 * q);
    for (const block_view& block : memory.blocks()) CHECK(block.holds + block.pins == 0);
}

TEST_CASE("the walls multiply with the runs in flight; who never waits needs memory for all of them") {
    const auto peak = [](std::uint32_t runs) {
        manager<best_fit> memory{flying(4096, runs)};
        const auto step = memory.load({.name = "step", .code = q});
        for (int run = 0; run < 100; ++run) {
            const auto ran = memory.run(*step, {.outputs = {10 * q}});
            REQUIRE(ran);
            CHECK(memory.free(ran->outputs[0]));
        }
        return memory.peak_live_bytes() / q;
    };
    CHECK(peak(0) == 1 + 10);
    CHECK(peak(1) == 1 + 20);  // what flies, and what is about to
    CHECK(peak(3) == 1 + 40);
    CHECK(peak(max_in_flight) == 1 + 1000);
}

TEST_CASE("a request waits for as few runs as it takes") {
    manager<best_fit> memory{flying(16)};
    const auto step = memory.load({.name = "step", .code = q});
    for (int run = 0; run < 3; ++run)
        CHECK(memory.free(memory.run(*step, {.outputs = {5 * q}, .run_us = 7})->outputs[0]));
    CHECK(memory.free_bytes() == 0);
    REQUIRE(memory.allocate(6 * q));
    CHECK(memory.reached() == fence{2});
    CHECK(memory.flights().size() == 1);
    CHECK(memory.done_so_far().waits == 1);
    CHECK(memory.done_so_far().wait_nanoseconds == 14'000);
    CHECK(memory.done_so_far().relieved == 1);
    const auto before = memory;
    CHECK_FALSE(memory.allocate(16 * q));  // hopeless: nobody waits
    CHECK(memory == before);
}

TEST_CASE("waiting has a price, and the cheapest relief may be another one") {
    // A run of a millisecond holds the upper half; moving one small buffer opens the lower.
    const auto play = [](auto memory, std::uint64_t run_us) {
        const auto step = memory.load({.name = "step", .code = q});
        const auto low = memory.allocate(4 * q);
        const auto small = memory.allocate(q);
        const auto high = memory.allocate(4 * q);
        const auto used = memory.allocate(6 * q);
        REQUIRE(used);
        CHECK(memory.free(*low));
        CHECK(memory.free(*high));
        const auto ran = memory.run(*step, {.inputs = {*used}, .run_us = run_us});
        CHECK(memory.free(*used));
        REQUIRE(ran);
        REQUIRE(memory.allocate(8 * q));
        CHECK(memory.check(*small) == error::none);
        return memory.done_so_far();
    };
    using moving = compacting<best_fit>;
    const totals slow = play(manager<moving>{flying(16)}, 1000);
    CHECK(slow.moves == 1);
    CHECK(slow.waits == 0);
    const totals quick = play(manager<moving>{flying(16)}, 1);  // a move takes two microseconds
    CHECK(quick.moves == 0);
    CHECK(quick.waits == 1);
    using waiting_first = manager<moving, never_evict, never_donate, compact_first>;
    CHECK(play(waiting_first{flying(16)}, 1000).waits == 1);
}

TEST_CASE("what goes or moves is waited for, and nothing else") {
    const auto play = [](auto memory, bool other_flies) {
        const auto step = memory.load({.name = "step", .code = q});
        const auto used = memory.allocate(6 * q);
        const auto other = memory.load({.name = "other", .code = 4 * q});
        REQUIRE(other);
        if (other_flies) CHECK(memory.run(*other, {}));
        REQUIRE(memory.run(*step, {.inputs = {*used}}));
        REQUIRE(memory.allocate(8 * q));
        CHECK(memory.flights().size() == 1);
        return memory.done_so_far();
    };
    using evicting = manager<best_fit, evict_lru, never_donate, evict_first>;
    CHECK(play(evicting{flying(16)}, false).waits == 0);
    CHECK(play(evicting{flying(16)}, false).evictions == 1);
    CHECK(play(evicting{flying(16)}, true).waits == 1);
    CHECK(play(evicting{flying(16)}, true).evictions == 1);
    using moving = manager<compacting<best_fit>, never_evict, never_donate, compact_first>;
    const auto move_beside = [](moving memory) {
        const auto step = memory.load({.name = "step", .code = q});
        const auto low = memory.allocate(4 * q);
        const auto small = memory.allocate(q);
        REQUIRE(small);
        REQUIRE(memory.run(*step, {}));
        CHECK(memory.free(*low));
        REQUIRE(memory.allocate(12 * q));
        return memory.done_so_far();
    };
    CHECK(move_beside(moving{flying(16)}).waits == 0);
    CHECK(move_beside(moving{flying(16)}).moves == 1);
}

TEST_CASE("where a part that waits for little takes the room of another, all are waited for") {
    manager<best_fit, evict_lru, never_donate, evict_first> memory{flying(12)};
    const auto step = memory.load({.name = "step", .code = q});
    const auto used = memory.allocate(3 * q);
    REQUIRE(memory.load({.name = "one", .code = q}));
    REQUIRE(memory.allocate(q));
    const auto other = memory.load({.name = "other", .code = 4 * q});
    REQUIRE(memory.run(*step, {.inputs = {*used}, .run_us = 1}));
    CHECK(memory.free(*used));
    // Where the other program was there is room for either output, and for the larger one nowhere else before `used`
    // has gone.
    REQUIRE(memory.run(*step, {.outputs = {4 * q, 6 * q}}));
    CHECK(memory.done_so_far().waits == 1);
    CHECK(memory.done_so_far().evictions == 2);
    CHECK_FALSE(memory.programs()[other->index].resident);
}

namespace {

/// What a story knows of memory in use.
struct known {
    buffer handle;
    std::uint64_t occupied = 0;
    std::uint64_t granted = 0;
    std::vector<std::uint64_t> fences;  // of the runs that use it
    std::uint64_t until = 0;            // where it was freed as of a fence
    bool freed = false;

    /// The runs up to `number` are over. A block that no run uses returns what it does not need.
    void reach(std::uint64_t number) {
        std::erase_if(fences, [&](std::uint64_t fence) { return fence <= number; });
        if (fences.empty() && !freed) occupied = granted;
    }
};

/// A manager that logs its events.
template <class Placement, class Eviction, class Donation, class Relief = relieve_cheapest>
using logged = manager<Placement, Eviction, Donation, Relief, no_device, event_log>;

template <class Manager>
testing::outcome fly(std::uint64_t seed, std::uint32_t length) {
    testing::outcome found{.subject = Manager::full_name.c_str(), .seed = seed};
    const auto broken = [&](const char* rule) {
        found.broken = rule;
        return found;
    };
    testing::random_numbers random(seed);
    const auto limit = static_cast<std::uint32_t>(random.below(5) + 1);
    Manager memory{flying(random.below(2) == 0 ? 400 : 40, limit)};
    const auto step = memory.load({.name = "step", .code = q});
    if (!step) return broken("a program does not fit into an empty memory");
    std::vector<known> all;
    std::uint64_t issued = 0;
    while (found.step++ < length) {
        std::vector<std::size_t> mine;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (!all[i].freed) mine.push_back(i);
        const std::uint64_t chance = random.below(10);
        if (chance < 3) {
            const std::uint64_t size = random.below(9) + 1;
            if (const auto made = memory.allocate(size * q)) all.push_back({*made, size * q, size * q, {}, 0, false});
        } else if (chance < 5 && !mine.empty()) {
            known& gone = all[mine[random.below(mine.size())]];
            gone.until = random.below(2) == 0 ? 0 : random.below(issued + 1);
            gone.freed = true;
            if (!(gone.until == 0 ? memory.free(gone.handle) : memory.free(gone.handle, {gone.until})))
                return broken("a live buffer could not be freed");
        } else if (chance < 7) {
            const std::uint64_t upto = random.below(issued + 1);
            if (!memory.retire({upto})) return broken("a fence that was issued is unknown");
        } else {
            std::vector<buffer> inputs, donated;
            std::vector<std::size_t> used, given;
            for (const std::size_t i : mine) {
                const std::uint64_t part = random.below(6);
                if (part == 0) inputs.push_back(all[i].handle), used.push_back(i);
                if (part == 1) donated.push_back(all[i].handle), given.push_back(i);
            }
            std::vector<output> outputs;
            for (std::uint64_t i = random.below(4); i > 0; --i) {
                const bool same = !given.empty() && random.below(2) == 0;
                outputs.push_back({same ? all[given[random.below(given.size())]].granted : (random.below(6) + 1) * q});
            }
            memory.events().events.clear();
            const auto ran = memory.run(*step, {.inputs = inputs, .donated = donated, .outputs = outputs});
            for (const event& occurred : memory.events().events) {
                if (occurred.what == event_kind::ran) break;
                if (occurred.what == event_kind::reached)  // before the run uses anything
                    for (known& each : all) each.reach(occurred.from);
            }
            if (!ran) {
                if (ran.error().reason != error::buffer_does_not_fit && ran.error().reason != error::code_does_not_fit)
                    return broken("a run fails for another reason");
            } else {
                ++issued;
                if (ran->over.number != issued) return broken("a run has not the next fence");
                for (const std::size_t i : used) all[i].fences.push_back(issued);
                for (const std::size_t i : given) all[i].fences.push_back(issued), all[i].freed = true;
                for (std::size_t i = 0; i < outputs.size(); ++i) {
                    if (ran->donors[i] == no_index) {
                        all.push_back({ran->outputs[i], outputs[i].bytes, outputs[i].bytes, {issued}, 0, false});
                        continue;
                    }
                    known& taken = all[given[ran->donors[i]]];
                    taken.handle = ran->outputs[i];
                    taken.granted = outputs[i].bytes;
                    taken.freed = false;
                }
            }
        }
        // What is over is what the manager says is over: relief may have waited, and runs beyond the limit are.
        const std::uint64_t reached = memory.reached().number;
        if (memory.flights().size() > limit) return broken("more runs are in flight than there may be");
        if (memory.flights().size() != issued - reached)
            return broken("runs in flight are not those that are not over");
        std::uint64_t occupied = memory.about(*step).resident ? q : 0;
        for (std::size_t i = all.size(); i-- > 0;) {
            known& each = all[i];
            each.reach(reached);
            if (each.freed && each.fences.empty() && each.until <= reached) {
                all[i] = all.back();
                all.pop_back();
                continue;
            }
            occupied += each.occupied;
            if (!each.freed && memory.where(each.handle).size != each.occupied)
                return broken("a buffer is not as long as it should be");
        }
        if (memory.capacity_bytes() - memory.free_bytes() != occupied)
            return broken("memory came back too early or too late");
    }
    return found;
}

}  // namespace

TEST_CASE("memory comes back when the last run that uses it is over, and no sooner") {
    const auto play = [](auto kind) {
        for_each_seed(400, 60, [](std::uint64_t seed, std::uint32_t length) {
            return fly<typename decltype(kind)::type>(seed, length);
        });
    };
    play(std::type_identity<logged<best_fit, never_evict, donate_same_size>>{});
    play(std::type_identity<logged<first_fit, never_evict, donate_fitting, never_relieve>>{});
    play(std::type_identity<logged<compacting<good_fit>, evict_lru, donate_fitting>>{});
    play(std::type_identity<logged<bottom_reserve<compacting<best_fit>>, evict_lru, never_donate, compact_first>>{});
}

TEST_CASE("sums of times stop at the largest number") {
    memory_spec spec{.capacity = 64 * 512, .runs_in_flight = 2};
    manager<best_fit> memory{spec};
    const auto step = memory.load({.name = "step", .code = 512});
    const auto held = memory.allocate(60 * 512);
    REQUIRE(step);
    REQUIRE(held);
    for (int i = 0; i < 2; ++i) REQUIRE(memory.run(*step, {.inputs = {*held}, .run_us = ~std::uint64_t{0}}));
    REQUIRE(memory.free(*held));
    REQUIRE(memory.allocate(60 * 512));  // waits for both
    CHECK(memory.done_so_far().waits == 1);
    CHECK(memory.done_so_far().wait_nanoseconds == ~std::uint64_t{0});
}

TEST_CASE("in flight: a run that ends the oldest because too many are in flight counts as a wait") {
    for (const std::uint32_t limit : {1u, 2u, 3u}) {
        CAPTURE(limit);
        manager<best_fit> memory{flying(64, limit)};
        const auto step = memory.load({.name = "step", .code = q});
        REQUIRE(step);
        for (std::uint32_t run = 0; run < limit; ++run) REQUIRE(memory.run(*step, {.run_us = 5}));
        CHECK(memory.done_so_far() == totals{});
        for (int run = 0; run < 4; ++run) REQUIRE(memory.run(*step, {.run_us = 5}));
        CHECK(memory.flights().size() == limit);
        CHECK(memory.done_so_far() == totals{.waits = 4, .wait_nanoseconds = 20'000});
    }
}

}  // namespace hbm::test::in_flight_tests

// Work that is no run, and the fences of both on one time line.

namespace hbm::test::issue_tests {

namespace {

constexpr std::uint64_t q = 512;
constexpr memory_spec overlapping{.name = "small", .capacity = 8 * q, .runs_in_flight = 2};

/// Notes the fences that are declared over.
struct fences_heard {
    static constexpr fixed_string name{"fences_heard"};
    std::vector<std::uint64_t> over;

    void on(const event& e) {
        if (e.what == event_kind::reached) over.push_back(e.from);
    }
    [[maybe_unused]] friend bool operator==(const fences_heard&, const fences_heard&) = default;
};
using simple = manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, fences_heard>;

}  // namespace

TEST_CASE("issue: memory that is freed until a transfer is over returns with its fence") {
    simple memory{overlapping};
    const buffer sent = *memory.allocate(8 * q);
    const fence over = memory.issue({.us = 10});
    CHECK(over == memory.issued());
    REQUIRE(memory.free(sent, over));
    CHECK(memory.free_bytes() == 0);
    REQUIRE(memory.retire(over));
    CHECK(memory.free_bytes() == 8 * q);
    CHECK(memory.flights().empty());
}

TEST_CASE("issue: a request waits for a transfer at the price of its duration") {
    simple memory{overlapping};
    REQUIRE(memory.free(*memory.allocate(8 * q), memory.issue({.us = 10})));
    CHECK(memory.plan_for({.bytes = q}).found->nanoseconds == 10'000);
    CHECK(awaited_fence(memory, [](auto& trial) { return trial.allocate(q); }) == memory.issued());
    REQUIRE(memory.allocate(q));
    CHECK(memory.done_so_far().waits == 1);
    CHECK(memory.done_so_far().wait_nanoseconds == 10'000);
    CHECK(memory.events().over == std::vector<std::uint64_t>{1});
}

TEST_CASE("issue: work and runs end in order") {
    simple memory{overlapping};
    const program step = *memory.load({.name = "step", .code = q});
    const fence work = memory.issue({.us = 10});
    const fence run = memory.run(step, {})->over;
    CHECK(work < run);
    CHECK(memory.flights().size() == 2);
    REQUIRE(memory.retire(run));
    CHECK(memory.reached() == run);
    CHECK(memory.flights().empty());
}

TEST_CASE("issue: runs and work in flight are at most as many as the memory is for after a run") {
    simple memory{overlapping};
    const program step = *memory.load({.name = "step", .code = q});
    for (int count = 0; count < 3; ++count) memory.issue({.us = 10});
    CHECK(memory.flights().size() == 3);
    REQUIRE(memory.run(step, {}));
    CHECK(memory.flights().size() == 2);
    CHECK(memory.events().over == std::vector<std::uint64_t>{2});
}

TEST_CASE("issue: where runs are over at once, a run ends the work before it") {
    simple memory{{.name = "small", .capacity = 8 * q}};
    const program step = *memory.load({.name = "step", .code = q});
    REQUIRE(memory.free(*memory.allocate(q), memory.issue({.us = 10})));
    CHECK(memory.free_bytes() == 6 * q);
    const fence run = memory.run(step, {})->over;
    CHECK(memory.reached() == run);
    CHECK(memory.free_bytes() == 7 * q);
    CHECK(memory.events().over == std::vector<std::uint64_t>{run.number});
    const fence next = memory.run(step, {})->over;
    CHECK(memory.reached() == next);
    CHECK(memory.done_so_far().waits == 1);
}

TEST_CASE("issue: the oldest work ends if more are issued than can be in flight") {
    simple memory{overlapping};
    for (std::uint32_t count = 0; count < max_in_flight; ++count) memory.issue({});
    CHECK(memory.reached() == fence{});
    memory.issue({});
    CHECK(memory.reached() == fence{1});
    CHECK(memory.flights().size() == max_in_flight);
}

TEST_CASE("issue: a fence that was not issued is unknown") {
    simple memory{overlapping};
    const buffer held = *memory.allocate(q);
    const fence over = memory.issue({});
    CHECK(memory.free(held, {over.number + 1}).error().reason == error::unknown_fence);
    CHECK(memory.retire({over.number + 1}).error().reason == error::unknown_fence);
}

}  // namespace hbm::test::issue_tests
