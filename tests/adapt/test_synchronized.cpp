// Several threads call one manager; nothing is lost and nothing overlaps. HBM_SEEDS_PERCENT says how many of the usual
// operations are done: 10000 for a hundred times as many.
#include <hbm/adapt/synchronized.hpp>
#include <hbm/blocks/tag_names.hpp>
#include <hbm/device/host_device.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/testing/audit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <array>
#include <concepts>
#include <mutex>
#include <string>
#include <testing/seeds.hpp>
#include <thread>
#include <type_traits>
#include <vector>

#include "support/checker.hpp"

namespace hbm::test::synchronized_tests {

using namespace hbm::literals;

constexpr std::uint64_t q = 512;
constexpr std::size_t thread_count = 4;

/// A buffer as the thread that holds it knows it.
struct held_buffer {
    buffer handle;
    std::uint64_t granted = 0;
    tag label = tag::none;
    std::uint32_t pins = 0;
};

/// Hands buffers from thread to thread.
class exchange {
public:
    void put(const held_buffer& given) {
        const std::lock_guard guard(mutex_);
        waiting_.push_back(given);
    }
    bool take(held_buffer& taken) {
        const std::lock_guard guard(mutex_);
        if (waiting_.empty()) return false;
        taken = waiting_.back();
        waiting_.pop_back();
        return true;
    }

private:
    std::mutex mutex_;
    std::vector<held_buffer> waiting_;
};

/// What a thread did, and what it holds at the end.
struct worker {
    std::vector<held_buffer> held;
    program step;
    std::uint64_t allocations = 0;
    std::uint64_t refusals = 0;
    std::uint64_t frees = 0;
    std::uint64_t runs = 0;
    const char* broken = nullptr;
    std::uint64_t broken_at = 0;

    void expect(bool good, const char* rule) {
        if (good || broken != nullptr) return;
        broken = rule;
        broken_at = allocations + refusals + frees;
    }
};

/// `amount` operations on buffers by one thread. A buffer belongs to a single thread at a time.
template <class Memory>
void use_buffers(Memory& memory, exchange& other_threads, worker& self, std::uint64_t seed, std::uint64_t amount) {
    testing::random_numbers random(seed);
    const std::string name = "thread " + std::to_string(seed);
    const tag label = memory.tag_of(name.c_str());
    for (std::uint64_t i = 0; i < amount && self.broken == nullptr; ++i) {
        const std::uint64_t what = self.held.empty() ? 0 : random.below(16);
        if (what < 6) {
            const std::uint64_t bytes = random.below(64 * q);
            const auto made = memory.allocate({.bytes = bytes, .label = label});
            if (made) {
                self.held.push_back({*made, bytes == 0 ? q : (bytes + q - 1) / q * q, label, 0});
                ++self.allocations;
            } else {
                self.expect(made.error().reason == error::buffer_does_not_fit, "a refusal has another reason");
                ++self.refusals;
            }
            continue;
        }
        const std::size_t at = random.below(self.held.size());
        held_buffer& one = self.held[at];
        if (what < 11) {
            while (one.pins != 0) self.expect(memory.unpin(one.handle).has_value(), "a pin is lost"), --one.pins;
            self.expect(memory.free(one.handle).has_value(), "a live buffer cannot be freed");
            self.expect(memory.free(one.handle).error().reason == error::stale_handle, "a double free is not refused");
            ++self.frees;
        } else if (what == 11) {
            self.expect(memory.pin(one.handle).has_value(), "a live buffer cannot be pinned");
            ++one.pins;
            continue;
        } else if (what == 12) {
            self.expect(memory.granted(one.handle) == one.granted, "a buffer has another size");
            self.expect(memory.pins(one.handle) == one.pins, "a buffer has other pins");
            self.expect(memory.where(one.handle).size >= one.granted, "a buffer is nowhere");
            continue;
        } else if (what == 13) {
            other_threads.put(one);
        } else if (what == 14) {
            if (held_buffer taken; other_threads.take(taken)) self.held.push_back(taken);
            continue;
        } else {
            self.expect(memory.check(one.handle) == error::none, "a live buffer's handle is not good");
            continue;
        }
        self.held[at] = self.held.back();
        self.held.pop_back();
    }
}

/// Runs `act(worker, seed)` in several threads. Returns the workers.
template <class Act>
std::vector<worker> in_threads(Act act) {
    std::vector<worker> workers(thread_count);
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < thread_count; ++i)
        threads.emplace_back([&act, &self = workers[i], seed = i + 1] { act(self, seed); });
    for (std::thread& each : threads) each.join();
    for (std::size_t i = 0; i < thread_count; ++i) {
        INFO("thread ", i + 1, " after ", workers[i].broken_at, " operations");
        CHECK(std::string(workers[i].broken == nullptr ? "" : workers[i].broken) == "");
    }
    return workers;
}

/// The sentence of a broken rule, "" where none is broken.
std::string words(const char* broken) {
    return broken == nullptr ? "" : broken;
}

/// What the threads hold is what the manager holds: every block, and no other.
template <class Manager>
void check_against_model(const Manager& memory, const std::vector<worker>& workers) {
    test::checker model(memory.capacity_bytes(), q);
    std::uint64_t live = 0;
    std::size_t held = 0;
    std::size_t programs = 0;
    for (const worker& each : workers) {
        for (const held_buffer& one : each.held) {
            REQUIRE(memory.check(one.handle) == error::none);
            const extent where = memory.where(one.handle);
            CHECK(words(model.allocated(where.offset, where.size)) == "");
            CHECK(memory.granted(one.handle) == one.granted);
            CHECK(memory.pins(one.handle) == one.pins);
            live += one.granted;
            ++held;
        }
        if (each.step) programs += memory.about(each.step).resident;
    }
    // What no thread holds: programs and their reservation.
    testing::snapshot all;
    std::size_t data = 0;
    std::size_t code = 0;
    for (const block_view& block : memory.blocks_and_holes()) {
        all.push_back(block);
        data += block.kind == block_kind::data;
        code += block.kind == block_kind::code;
        if (block.kind == block_kind::hole || block.kind == block_kind::data) continue;
        CHECK(words(model.allocated(block.where.offset, block.where.size)) == "");
        live += block.granted;
    }
    CHECK(data == held);
    CHECK(code == programs);
    CHECK(model.blocks() == held + programs + (memory.reserved_bytes() != 0));
    CHECK(memory.live_bytes() == live);
    CHECK(words(model.reported_free(memory.free_bytes())) == "");
    CHECK(words(model.reported_largest_free(memory.largest_free_bytes())) == "");
    const testing::claimed_sums claimed{memory.capacity_bytes(), memory.free_bytes(), memory.live_bytes(),
                                        memory.largest_free_bytes()};
    CHECK(words(testing::audit_blocks(all, claimed, q, true)) == "");
}

TEST_CASE("four threads lose no buffer") {
    synchronized<manager<best_fit>, std::mutex> memory{{.name = "shared", .capacity = 64_MiB}};
    memory.reserve_metadata(4096);
    exchange handed_over;
    const std::uint64_t amount = seeds_to_try(1'000'000) / thread_count;
    std::vector<worker> workers =
        in_threads([&](worker& self, std::uint64_t seed) { use_buffers(memory, handed_over, self, seed, amount); });
    worker left;  // what no thread took
    for (held_buffer one; handed_over.take(one);) left.held.push_back(one);
    workers.push_back(left);
    memory.with([&](const auto& held) { check_against_model(held, workers); });

    std::uint64_t allocations = 0;
    std::uint64_t frees = 0;
    std::size_t held = 0;
    for (const worker& each : workers) {
        allocations += each.allocations;
        frees += each.frees;
        held += each.held.size();
    }
    CHECK(allocations == frees + held);
    const std::uint64_t operations = amount * thread_count;
    MESSAGE(operations, " operations, ", allocations, " of them allocations and ", frees, " frees");
    for (const worker& each : workers)
        for (const held_buffer& one : each.held) CHECK(memory.free(one.handle));
    memory.sync();  // pinned buffers
    CHECK(memory.live_bytes() == 0);
    CHECK(memory.largest_free_bytes() == memory.capacity_bytes());
}

TEST_CASE("four threads run programs that are evicted for each other, and look at forks meanwhile") {
    using memory_type = synchronized<tpu::runtime_memory, std::mutex>;
    memory_type memory{{.name = "tight", .capacity = 512 * q}};
    const std::uint64_t amount = seeds_to_try(4'000) / thread_count;
    const std::vector<worker> workers = in_threads([&](worker& self, std::uint64_t seed) {
        testing::random_numbers random(seed);
        const std::string name = "step " + std::to_string(seed);
        const auto step = memory.load({.name = name.c_str(), .code = 64 * q, .scratch = seed * 8 * q});
        self.expect(step.has_value(), "a program does not fit although others may be evicted");
        if (!step) return;
        self.step = *step;
        run_result ran;
        for (std::uint64_t i = 0; i < amount && self.broken == nullptr; ++i) {
            if (self.held.empty() || (self.held.size() < 6 && random.once_in(3))) {
                const std::uint64_t bytes = (1 + random.below(16)) * q;
                if (const auto made = memory.allocate(bytes)) self.held.push_back({*made, bytes, tag::none, 0});
                continue;
            }
            held_buffer& one = self.held[random.below(self.held.size())];
            if (random.once_in(4)) {
                self.expect(memory.free(one.handle).has_value(), "a live buffer cannot be freed");
                one = self.held.back();
                self.held.pop_back();
            } else if (random.once_in(4)) {
                const auto copy = memory.fork();  // examined without the lock
                self.expect(copy.granted(one.handle) == one.granted, "a fork lacks a buffer");
                std::uint64_t live = 0;
                for (const block_view& block : copy.blocks()) live += block.granted;
                self.expect(live == copy.live_bytes(), "a fork was made while another thread made a change");
            } else if (random.once_in(4)) {
                self.expect(memory.compact(random.below(64) * q).moved <= 512 * q, "more moved than there is");
            } else if (memory.run(self.step, {.donated = {one.handle}, .outputs = {one.granted}}, ran)) {
                self.expect(ran.donated == 1, "an output took over no input");
                self.expect(memory.check(one.handle) == error::stale_handle, "a donated buffer lives on");
                one.handle = ran.outputs[0];
                ++self.runs;
            } else {
                self.expect(memory.check(one.handle) == error::none, "a refused run ended its input");
            }
        }
    });
    memory.sync();
    CHECK(memory.finish_moves());
    check_against_model(memory.copy(), workers);
    std::uint64_t runs = 0;
    for (const worker& each : workers) runs += each.runs;
    CHECK(runs != 0);
    if (tries_all_seeds()) CHECK(memory.done_so_far().evictions != 0);
}

TEST_CASE("copies that share their names get new names in several threads at once") {
    std::vector<std::array<tag_names, thread_count>> rounds(seeds_to_try(20'000));
    for (auto& copies : rounds) {
        tag_names names;
        names.intern("known");
        copies.fill(names);
    }
    in_threads([&](worker& self, std::uint64_t seed) {
        const std::string name = "thread " + std::to_string(seed);
        for (auto& copies : rounds) {
            tag_names& own = copies[seed - 1];
            self.expect(own.name(own.intern(name.c_str())) == name, "a new name is lost");
            self.expect(own.name(own.intern("known")) == std::string("known"), "a shared name is lost");
        }
    });
}

TEST_CASE("several calls under one lock are interrupted by no other thread") {
    synchronized<manager<best_fit>, std::mutex> memory{{.name = "one at a time", .capacity = q}};
    in_threads([&](worker& self, std::uint64_t) {
        for (std::uint64_t i = 0; i < seeds_to_try(10'000); ++i) {
            const auto made = memory.with([](auto& held) {
                const auto first = held.allocate(q);
                return first && held.free(*first);
            });
            self.expect(made, "the memory was taken in between");
        }
    });
    CHECK(memory.free_bytes() == q);
}

TEST_CASE("a refused call is explained from a fork, while the memory goes on") {
    synchronized<tpu::runtime_memory, std::mutex> memory{{.name = "small", .capacity = 64 * q}};
    const auto weights = memory.allocate(48 * q, "weights");
    REQUIRE(weights);
    REQUIRE(memory.pin(*weights));
    const auto [cache, refused] = memory.call_or_fork([](auto& held) { return held.allocate(32 * q, "cache"); });
    REQUIRE(!cache);
    REQUIRE(refused);
    CHECK(memory.free(*weights));
    memory.sync();
    const std::string why = explain(*refused, cache.error());
    CHECK(why.find("weights") != std::string::npos);
    CHECK(refused->live_bytes() == 48 * q);

    const auto [again, none] = memory.call_or_fork([](auto& held) { return held.allocate(32 * q, "cache"); });
    CHECK(again);
    CHECK(!none);

    // A run: its arguments are known to the caller.
    const auto step = memory.load({.name = "step", .code = q});
    REQUIRE(step);
    const output outputs[] = {16 * q, 32 * q};
    const run_spec spec{.outputs = outputs};
    const auto [ran, full] = memory.call_or_fork([&](auto& held) { return held.run(*step, spec); });
    REQUIRE(!ran);
    CHECK(explain(*full, attempt(*step, spec)).find("cache") != std::string::npos);
}

/// A mutex that counts, and notices a call that is made without it.
struct counting_mutex {
    int locked = 0;
    int times = 0;

    void lock() {
        ++locked;
        ++times;
    }
    void unlock() { --locked; }
};

/// A mutex that is found through a pointer, so that the test can look at it.
struct seen_mutex {
    static inline counting_mutex* now = nullptr;
    void lock() const { now->lock(); }
    void unlock() const { now->unlock(); }
};

TEST_CASE("each call locks once and unlocks once") {
    counting_mutex count;
    seen_mutex::now = &count;
    synchronized<tpu::runtime_memory, seen_mutex> memory{{.name = "some", .capacity = 64 * q}};
    CHECK(count.times == 0);
    int calls = 0;
    const auto locked_once = [&](auto&& act) {
        act();
        CHECK(count.locked == 0);
        CHECK(count.times == ++calls);
    };
    result<buffer> one = failure{};
    result<program> step = failure{};
    locked_once([&] { one = memory.allocate(q); });
    locked_once([&] { CHECK(memory.free(*one)); });
    locked_once([&] { one = memory.allocate(4, "signed"); });
    locked_once([&] { CHECK(memory.allocate(-1).error().reason == error::negative_size); });
    locked_once([&] { CHECK(memory.pin(*one)); });
    locked_once([&] { CHECK(memory.unpin(*one)); });
    locked_once([&] { CHECK(memory.import({8 * q, q}).has_value()); });
    locked_once([&] { step = memory.load({.name = "step", .code = q, .scratch = q}); });
    locked_once([&] { CHECK(memory.run(*step, {.inputs = {*one}, .outputs = {q}})); });
    locked_once([&] { CHECK(memory.evict(*step)); });
    locked_once([&] { CHECK(memory.load(*step)); });
    locked_once([&] { CHECK(memory.about(*step).resident); });
    locked_once([&] { CHECK(memory.unload_for_now(*step)); });
    locked_once([&] { CHECK(memory.unload(*step)); });
    locked_once([&] { CHECK(memory.plan_for({.bytes = q}).found); });
    locked_once([&] { CHECK(memory.extend(128 * q)); });
    locked_once([&] { CHECK(memory.compact(0).moved == 0); });
    locked_once([&] { CHECK(memory.done_so_far().evictions == 1); });
    locked_once([&] { CHECK(memory.spec().capacity == 128 * q); });
    locked_once([&] { CHECK(memory.refused().why.reason == error::none); });
    locked_once([&] { CHECK(!memory.moving()); });
    locked_once([&] {
        CHECK(memory.retire(memory.with([](auto& held) { return held.issued(); })));
        ++calls;
    });
    locked_once([&] { memory.sync(); });
    locked_once([&] { CHECK(memory.fork().check(*one) == error::none); });
    locked_once([&] { CHECK(memory.copy().check(*one) == error::none); });
    locked_once([&] { CHECK(memory.under<manager<bottom_reserve<best_fit>>>().check(*one) == error::none); });
    locked_once([&] { CHECK(std::string(memory.with([&](auto& held) { return held.name_of(tag::none); })) == ""); });
    locked_once([&] { CHECK(!memory.call_or_fork([](auto& held) { return held.allocate(999 * q); }).outcome); });
}

// Without a mutex it is the manager: as large, in constant evaluation too, and with what the manager can.
using plain = synchronized<manager<best_fit>, no_mutex>;
static_assert(sizeof(plain) == sizeof(manager<best_fit>));
static_assert(!std::copyable<plain> && !std::movable<plain>);

constexpr bool is_used_in_constant_evaluation() {
    plain memory{{.name = "tiny", .capacity = 8 * q}};
    const auto one = memory.allocate(2 * q, "one");
    if (!one || memory.where(*one).offset != 0 || memory.free_bytes() != 6 * q) return false;
    const auto [made, fork] = memory.call_or_fork([](auto& held) { return held.allocate(8 * q); });
    if (made || !fork || fork->live_bytes() != 2 * q) return false;
    return memory.free(*one).has_value() && memory.free(*one).error().reason == error::stale_handle &&
           memory.with([](const auto& held) { return held.largest_free_bytes(); }) == 8 * q;
}
static_assert(is_used_in_constant_evaluation());

template <class Memory>
constexpr bool can_compact = requires(Memory& memory) {
    memory.compact(q);
};
template <class Memory>
constexpr bool can_extend = requires(Memory& memory) {
    memory.extend(q);
};
template <class Memory>
constexpr bool can_import = requires(Memory& memory) {
    memory.import(extent{});
};
template <class Manager>
constexpr bool can_as_much =
    can_compact<Manager> == can_compact<synchronized<Manager, no_mutex>>&& can_extend<Manager> ==
    can_extend<synchronized<Manager, no_mutex>>&& can_import<Manager> == can_import<synchronized<Manager, no_mutex>>;
static_assert(can_as_much<manager<best_fit>> && can_as_much<manager<buddy>> && can_as_much<tpu::runtime_memory>);
static_assert(!can_compact<plain> && can_compact<synchronized<tpu::runtime_memory, std::mutex>>);

TEST_CASE("a manager with handles in use is taken over; one that cannot be used says why") {
    manager<best_fit> before{{.name = "some", .capacity = 8 * q}};
    const auto one = before.allocate(q);
    plain memory(std::move(before));
    CHECK(memory.check(*one) == error::none);
    CHECK(memory.free(*one));
    CHECK(memory.allocate(~std::uint64_t{0}).error().reason == error::size_too_large);
    CHECK(memory.free(buffer{}).error().reason != error::none);
    plain unusable{{.name = "bad", .capacity = 8 * q, .quantum = 3}};
    CHECK(unusable.unusable() == error::bad_quantum);
    CHECK(!unusable.allocate(q));
    plain nothing;
    CHECK(!nothing.allocate(q));
    CHECK(is_used_in_constant_evaluation());
}

TEST_CASE("a manager with a device that has bytes is used from inside the lock") {
    using with_bytes = manager<compacting<best_fit>, never_evict, never_donate, relieve_cheapest, host_device>;
    synchronized<with_bytes, std::mutex> memory{{.name = "host", .capacity = 8 * q}, {.device = host_device(8 * q)}};
    const auto one = memory.allocate(q);
    REQUIRE(one);
    memory.with([&](auto& held) { held.device().bytes(held.where(*one).offset, q)[0] = std::byte{7}; });
    CHECK(memory.with([&](auto& held) { return held.device().bytes(held.where(*one).offset, q)[0]; }) == std::byte{7});
}

}  // namespace hbm::test::synchronized_tests
