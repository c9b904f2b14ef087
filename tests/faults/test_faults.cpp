// Faults at every place of every call: copies that fail or throw, observers that throw, calls back, an exhausted host.
#include <hbm/eviction/evict_greedy_dual.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/relief/rent_or_buy.hpp>

#include <doctest/doctest.h>

#include <csignal>
#include <cstdlib>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "faults/faulty.hpp"
#include "manager/host_allocations.hpp"
#include "support/child_process.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::faults_tests {

namespace {

constexpr std::uint64_t q = 16;
constexpr std::uint64_t all = ~std::uint64_t{0};

template <class Placement, class Eviction, class Donation, class Relief = relieve_cheapest>
using faulty = manager<Placement, Eviction, Donation, Relief, faulty_device, faulty_observer>;

/// A memory with holes, a pinned buffer, an evicted program, a run in flight, frees that wait, and maybe a move that
/// stopped in the middle.
template <class Memory>
struct stage {
    Memory memory{{.capacity = 44 * q, .quantum = q, .top_reserved = 2 * q, .runs_in_flight = 2, .bounce = 2 * q},
                  {.device = faulty_device(44 * q), .salt = 7}};
    program step, other;
    std::vector<buffer> held;  // those of even index remain

    explicit stage(bool moves) {
        step = memory.load({.name = "step", .code = 2 * q, .scratch = 3 * q}).value_or(program{});
        other = memory.load({.name = "other", .code = 3 * q, .scratch = q}).value_or(program{});
        for (const std::uint64_t size : {2u, 1u, 3u, 1u, 2u, 2u, 4u, 1u, 5u, 3u, 2u})
            held.push_back(memory.allocate(size * q).value_or(buffer{}));
        for (const buffer handle : held)
            if (handle) write(memory, handle, handle.index);
        memory.evict(other);
        for (std::size_t at = 1; at < held.size(); at += 2) memory.free(held[at]);
        memory.pin(held[2]);
        static_cast<void>(memory.run(step, {.inputs = {held[4]}}));
        memory.free(held[4]);
        if constexpr (compacts<typename Memory::placement_type>) {
            memory.device().copies_until_failure = 1;
            if (moves) memory.compact(all);
            memory.device().copies_until_failure = failing_device::never;
        }
        memory.device().copies = memory.events().events = 0;
    }
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;

    [[nodiscard]] bool is_sound() {
        const bool good = memory.events().audit.check_blocks(memory);
        INFO(std::string(good ? "" : memory.events().audit.broken().rule));
        CHECK(good);
        bool reads = memory.device().overlaps == 0;
        for (const buffer handle : held)
            if (memory.check(handle) == error::none) reads = reads && reads_back(memory, handle, handle.index);
        CHECK(reads);
        return good && reads;
    }
    /// Frees and unloads everything once the faults are over. Returns true if that leaves one hole.
    [[nodiscard]] bool empties() {
        memory.device().copies_until_failure = failing_device::never;
        memory.device().chosen = memory.events().chosen = 0;
        if (!memory.finish_moves()) return false;
        const bool good = frees_all(memory);
        memory.sync();
        return good && memory.live_bytes() == 0 && memory.view().deferred().empty() && memory.flights().empty() &&
               memory.largest_free_bytes() == memory.capacity_bytes() && is_sound();
    }
};

template <class Memory>
struct operation {
    const char* name;
    std::function<void(stage<Memory>&)> call;
};

template <class Memory>
std::vector<operation<Memory>> operations() {
    using on = stage<Memory>&;
    std::vector<operation<Memory>> list{
        {"allocate", [](on s) { static_cast<void>(s.memory.allocate(q, "fresh")); }},
        {"allocate with relief", [](on s) { static_cast<void>(s.memory.allocate(9 * q)); }},
        {"allocate much", [](on s) { static_cast<void>(s.memory.allocate(14 * q)); }},
        {"allocate too much", [](on s) { static_cast<void>(s.memory.allocate(40 * q)); }},
        {"allocate aligned", [](on s) { static_cast<void>(s.memory.allocate({.bytes = 5 * q, .alignment = 4 * q})); }},
        {"free", [](on s) { s.memory.free(s.held[6]); }},
        {"free what is pinned", [](on s) { s.memory.free(s.held[2]); }},
        {"free as of a fence", [](on s) { s.memory.free(s.held[6], s.memory.issued()); }},
        {"pin", [](on s) { s.memory.pin(s.held[6]); }},
        {"pin all",
         [](on s) {
             for (const buffer handle : s.held) s.memory.pin(handle);
         }},
        {"unpin", [](on s) { s.memory.unpin(s.held[2]); }},
        {"load", [](on s) { static_cast<void>(s.memory.load({.name = "new", .code = 4 * q, .scratch = 5 * q})); }},
        {"load again", [](on s) { s.memory.load(s.other); }},
        {"evict", [](on s) { s.memory.evict(s.step); }},
        {"unload", [](on s) { s.memory.unload(s.step); }},
        {"unload what was evicted", [](on s) { s.memory.unload(s.other); }},
        {"unload for now", [](on s) { s.memory.unload_for_now(s.step); }},
        {"run",
         [](on s) {
             static_cast<void>(s.memory.run(s.step, {.inputs = {s.held[0]}, .outputs = {q, 2 * q}}));
         }},
        {"run what was evicted",
         [](on s) {
             static_cast<void>(s.memory.run(s.other, {.donated = {s.held[6]}, .outputs = {2 * q, 4 * q}}));
         }},
        {"run with relief",
         [](on s) {
             static_cast<void>(
                 s.memory.run(s.step, {.inputs = {s.held[2]}, .donated = {s.held[8]}, .outputs = {3 * q, 7 * q}}));
         }},
        {"runs to the limit",
         [](on s) {
             for (int run = 0; run < 3; ++run)
                 static_cast<void>(s.memory.run(s.step, {.donated = {s.held[8]}, .outputs = {5 * q}}));
         }},
        {"retire", [](on s) { s.memory.retire(s.memory.issued()); }},
        {"sync", [](on s) { s.memory.sync(); }},
        {"relieve",
         [](on s) {
             if (const auto way = s.memory.plan_for({.bytes = 9 * q}); way.found) s.memory.relieve(*way.found);
         }},
        {"finish moves", [](on s) { s.memory.finish_moves(); }},
        {"reserve metadata", [](on s) { s.memory.reserve_metadata(200); }},
        {"fork", [](on s) { static_cast<void>(s.memory.fork().allocate(9 * q)); }},
        {"copy", [](on s) { static_cast<void>(s.memory.copy().free(s.held[6])); }}};
    if constexpr (imports<typename Memory::placement_type>)
        list.push_back({"import", [](on s) {
                            static_cast<void>(s.memory.import({s.memory.where(s.held[0]).end(), q}));
                        }});
    if constexpr (requires(Memory & memory) { memory.extend(1); })
        list.push_back({"extend", [](on s) { s.memory.extend(64 * q); }});
    if constexpr (compacts<typename Memory::placement_type>) {
        list.push_back({"compact", [](on s) { s.memory.compact(all); }});
        list.push_back({"compact a little", [](on s) { s.memory.compact(2 * q); }});
    }
    return list;
}

struct counts {
    int copies = 0;
    int exceptions = 0;
    int callbacks = 0;
    int exhaustions = 0;
};

void throw_now(void* /*argument*/) {
    throw thrown{};
}
template <class Memory>
void call_back(void* memory) {
    static_cast<void>(static_cast<Memory*>(memory)->allocate(q));
}

/// Calls an operation once without a fault, then on a new stage for each fault.
template <class Memory>
class trials {
public:
    trials(const operation<Memory>& tried, bool moves, counts& sums) : tried_(tried), moves_(moves), sums_(sums) {
        stage<Memory> calm(moves);
        tried.call(calm);
        events_ = calm.memory.events().events;
        copies_ = calm.memory.device().copies;
        after_.emplace(calm.memory.state());
        CHECK(calm.is_sound());
        CHECK(calm.empties());
    }

    void fail_copies() {
        for (std::uint64_t k = 0; k < copies_; ++k) {
            CAPTURE(k);
            stage<Memory> now(moves_);
            now.memory.device().copies_until_failure = k;
            tried_.call(now);
            ++sums_.copies;
            CHECK(now.is_sound());
            CHECK(now.empties());
        }
    }
    void throw_at_copies() {
        for (std::uint64_t k = 1; k <= copies_; ++k) {
            CAPTURE(k);
            stage<Memory> now(moves_);
            now.memory.device().chosen = k;
            now.memory.device().act = throw_now;
            CHECK_THROWS_AS(tried_.call(now), thrown);
            ++sums_.exceptions;
            CHECK(now.is_sound());
            CHECK(now.empties());
        }
    }
    void throw_at_events() {
        for (std::uint64_t k = 1; k <= events_; ++k) {
            CAPTURE(k);
            stage<Memory> now(moves_);
            now.memory.events().chosen = k;
            now.memory.events().act = throw_now;
            bool threw = false;
            try {
                tried_.call(now);
            } catch (const thrown&) {
                threw = true;
            }
            CHECK(threw);
            ++sums_.exceptions;
            CHECK((is_of_many_calls() || now.memory.state() == *after_));
            CHECK(now.is_sound());
            CHECK(now.empties());
        }
    }
    void call_back_at_events_and_copies() {
        for (std::uint64_t k = 1; k <= events_ + copies_; ++k) {
            CAPTURE(k);
            const process_end end = run_in_child([&] {
                stage<Memory> now(moves_);
                now.memory.events().act = now.memory.device().act = call_back<Memory>;
                now.memory.events().argument = now.memory.device().argument = &now.memory;
                (k <= events_ ? now.memory.events().chosen : now.memory.device().chosen) =
                    k <= events_ ? k : k - events_;
                tried_.call(now);
            });
            ++sums_.callbacks;
            CHECK(end.signal == SIGILL);
            CHECK(end.messages == "hbm: an observer or device called the manager that called it\n");
        }
    }
    void exhaust_host() {
        for (std::size_t k = 0;; k += tries_all_seeds() ? 1U : 23U) {  // a process each, which a sanitizer makes slow
            CAPTURE(k);
            const process_end end = run_in_child([&] {
                stage<Memory> now(moves_);
                exhaust_host_after(k);
                tried_.call(now);
                std::_Exit(7);
            });
            if (end.signal == 0 && end.status == 7) return;
            ++sums_.exhaustions;
            REQUIRE(end.signal == SIGABRT);
            CHECK(end.messages.find("bad_alloc") != std::string::npos);
        }
    }

private:
    /// Returns true if the operation makes several calls: an exception keeps it from those that follow.
    [[nodiscard]] bool is_of_many_calls() const {
        const std::string name = tried_.name;
        return name == "pin all" || name == "runs to the limit";
    }

    const operation<Memory>& tried_;
    bool moves_;
    counts& sums_;
    std::uint64_t events_ = 0;
    std::uint64_t copies_ = 0;
    std::optional<memory_state<typename Memory::placement_type>> after_;
};

template <class Memory>
void try_all(counts& sums, bool in_children) {
    for (const operation<Memory>& tried : operations<Memory>()) {
        for (const bool moves : {false, true}) {
            if (moves && !compacts<typename Memory::placement_type>) continue;
            CAPTURE(std::string(Memory::full_name.c_str()));
            CAPTURE(std::string(tried.name));
            CAPTURE(moves);
            trials<Memory> one(tried, moves, sums);
            if (in_children) {
                if (!moves) one.call_back_at_events_and_copies();
                if (!moves) one.exhaust_host();
                continue;
            }
            one.fail_copies();
            one.throw_at_copies();
            one.throw_at_events();
        }
    }
}

counts try_all_managers(bool in_children) {
    counts sums;
    try_all<faulty<best_fit, never_evict, never_donate>>(sums, in_children);
    try_all<faulty<first_fit, evict_lru, donate_same_size>>(sums, in_children);
    try_all<faulty<bfc, never_evict, donate_fitting>>(sums, in_children);
    try_all<faulty<compacting<buddy>, evict_lru, donate_fitting>>(sums, in_children);
    try_all<faulty<compacting<best_fit>, evict_greedy_dual, donate_fitting>>(sums, in_children);
    try_all<faulty<compacting<good_fit>, evict_cheapest_window, donate_same_size>>(sums, in_children);
    try_all<faulty<bottom_reserve<best_fit>, evict_lru, donate_fitting>>(sums, in_children);
    try_all<faulty<bottom_reserve<compacting<best_fit>>, evict_lru, donate_fitting>>(sums, in_children);
    try_all<faulty<bottom_reserve<compacting<first_fit>>, evict_lru, donate_same_size, rent_or_buy>>(sums, in_children);
    return sums;
}

}  // namespace

TEST_CASE("faults: a copy that fails or throws, or an event that throws, loses nothing in any call") {
    const counts sums = try_all_managers(false);
    MESSAGE(sums.copies << " copies failed, " << sums.exceptions << " exceptions were thrown");
    CHECK(sums.copies > 100);
    CHECK(sums.exceptions > 500);
}

TEST_CASE("faults: a call back or an exhausted host ends the program with a message in any call") {
    const counts sums = try_all_managers(true);
    MESSAGE(sums.callbacks << " calls back, " << sums.exhaustions << " allocations of the host failed");
    CHECK(sums.callbacks > 300);
    CHECK((sums.exhaustions > 5000 || !tries_all_seeds()));
}

}  // namespace hbm::test::faults_tests
