#pragma once

/// A small memory in which much is under way, and all calls that a manager has, for tests that let each of them fail.

#include <hbm/compact.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/scheduled.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "faults/faulty.hpp"

namespace hbm::test {

inline constexpr std::uint64_t fault_quantum = 16;

/// A memory with holes, a pinned buffer, an evicted program, a run in flight, frees that wait, and maybe a move that
/// stopped in the middle.
template <class Memory>
struct stage {
    static constexpr std::uint64_t q = fault_quantum;
    static constexpr std::uint64_t all = ~std::uint64_t{0};
    using device_type = std::remove_reference_t<decltype(std::declval<Memory&>().device())>;

    Memory memory{{.capacity = 44 * q, .quantum = q, .top_reserved = 2 * q, .runs_in_flight = 2, .bounce = 2 * q},
                  {.device = device_type(44 * q), .salt = 7}};
    program step, other;
    std::vector<buffer> held;      // those of even index remain
    const char* broken = nullptr;  // a rule that a call broke

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
            for (int count = 0; moves && count < 20 && !memory.moving(); ++count) {
                fail_after(memory.device(), 1);
                memory.compact(all);
                heal(memory.device());
            }
        }
        count_from_here();
    }
    stage(const stage&) = delete;
    stage& operator=(const stage&) = delete;

    void count_from_here() { faults_of(memory.device()).copies = memory.events().events = 0; }

    [[nodiscard]] bool is_sound() {
        const char* rule = broken;
        if (rule == nullptr && !memory.events().audit.check_blocks(memory)) rule = memory.events().audit.broken().rule;
        if (rule == nullptr && !covers_once(memory)) rule = "blocks and holes cover the memory once";
        if (rule == nullptr && mistakes_with(memory.device()) != 0) rule = "the device is used as it may be";
        for (const buffer handle : held)
            if (rule == nullptr && memory.check(handle) == error::none && !reads_back(memory, handle, handle.index))
                rule = "no byte is lost";
        INFO(std::string(rule == nullptr ? "" : rule));
        CHECK(rule == nullptr);
        return rule == nullptr;
    }
    /// Frees and unloads everything once the faults are over. Returns true if that leaves one hole.
    [[nodiscard]] bool empties() {
        heal(memory.device());
        faults_of(memory.device()).chosen = memory.events().chosen = 0;
        bool good = memory.finish_moves().has_value();
        good = frees_all(memory) && good;
        memory.sync();
        return good && memory.live_bytes() == 0 && memory.view().deferred().empty() && memory.flights().empty() &&
               memory.largest_free_bytes() == memory.capacity_bytes() && is_sound();
    }
};

/// A call, its error, and the calls before it that are made without a fault.
template <class Memory>
struct operation {
    const char* name;
    std::function<error(stage<Memory>&)> call;
    std::function<void(stage<Memory>&)> prepare = nullptr;
    bool of_many_calls = false;  ///< an exception keeps it from those that follow
};

template <class Result>
[[nodiscard]] error error_of(const Result& outcome) {
    if constexpr (std::is_same_v<Result, compaction>)
        return outcome.reason;
    else
        return outcome ? error::none : outcome.error().reason;
}

/// Runs into a result of an earlier run, which stays as it is if the run fails.
template <class Memory>
error run_into(stage<Memory>& s, program subject, const run_spec& spec) {
    run_result ran;
    ran.outputs.push_back(s.held[0]);
    ran.donors.push_back(3);
    ran.over = {77};
    const error why = error_of(s.memory.run(subject, spec, ran));
    const bool same = ran.outputs.size() == 1 && ran.outputs[0] == s.held[0] && ran.donors[0] == 3 &&
                      ran.over == fence{77} && ran.moved.empty();
    if (why != error::none && !same) s.broken = "a run that fails leaves its result";
    if (why == error::none && (ran.outputs.size() != spec.outputs.size() || ran.over != s.memory.issued()))
        s.broken = "a run replaces the whole of its result";
    return why;
}

/// The calls of all managers.
template <class Memory>
std::vector<operation<Memory>> operations() {
    using on = stage<Memory>&;
    constexpr std::uint64_t q = fault_quantum;
    std::vector<operation<Memory>> list{
        {"allocate", [](on s) { return error_of(s.memory.allocate(q, "fresh")); }},
        {"allocate with relief", [](on s) { return error_of(s.memory.allocate(9 * q)); }},
        {"allocate much", [](on s) { return error_of(s.memory.allocate(14 * q)); }},
        {"allocate too much", [](on s) { return error_of(s.memory.allocate(40 * q)); }},
        {"allocate less than nothing", [](on s) { return error_of(s.memory.allocate(-1)); }},
        {"allocate aligned", [](on s) { return error_of(s.memory.allocate({.bytes = 5 * q, .alignment = 4 * q})); }},
        {"free", [](on s) { return error_of(s.memory.free(s.held[6])); }},
        {"free what is pinned", [](on s) { return error_of(s.memory.free(s.held[2])); }},
        {"free as of a fence", [](on s) { return error_of(s.memory.free(s.held[6], s.memory.issued())); }},
        {"free what was freed", [](on s) { return error_of(s.memory.free(s.held[1])); }},
        {"pin", [](on s) { return error_of(s.memory.pin(s.held[6])); }},
        {"pin what is moving",
         [](on s) {
             buffer moving = s.held[6];
             for (const buffer handle : s.held)
                 if (handle.index == s.memory.moving().block && s.memory.check(handle) == error::none) moving = handle;
             return error_of(s.memory.pin(moving));
         }},
        {.name = "pin all",
         .call =
             [](on s) {
                 error why = error::none;
                 for (std::size_t at = 0; at < s.held.size(); at += 2) {
                     if (at == 4) continue;
                     const error reason = error_of(s.memory.pin(s.held[at]));
                     why = why == error::none ? reason : why;
                 }
                 return why;
             },
         .of_many_calls = true},
        {"unpin", [](on s) { return error_of(s.memory.unpin(s.held[2])); }},
        {"rename", [](on s) { return error_of(s.memory.rename(s.held[6], "another")); }},
        {"load", [](on s) { return error_of(s.memory.load({.name = "new", .code = 4 * q, .scratch = 5 * q})); }},
        {"load again", [](on s) { return error_of(s.memory.load(s.other)); }},
        {"evict", [](on s) { return error_of(s.memory.evict(s.step)); }},
        {"unload", [](on s) { return error_of(s.memory.unload(s.step)); }},
        {"unload what was evicted", [](on s) { return error_of(s.memory.unload(s.other)); }},
        {"unload for now", [](on s) { return error_of(s.memory.unload_for_now(s.step)); }},
        {"run",
         [](on s) {
             return error_of(s.memory.run(s.step, {.inputs = {s.held[0]}, .outputs = {q, 2 * q}}));
         }},
        {"run what was evicted",
         [](on s) {
             return error_of(s.memory.run(s.other, {.donated = {s.held[6]}, .outputs = {2 * q, 4 * q}}));
         }},
        {"run with relief",
         [](on s) {
             return error_of(
                 s.memory.run(s.step, {.inputs = {s.held[2]}, .donated = {s.held[8]}, .outputs = {3 * q, 7 * q}}));
         }},
        {"run into a result",
         [](on s) {
             return run_into(s, s.step, {.inputs = {s.held[2]}, .donated = {s.held[8]}, .outputs = {3 * q, 7 * q}});
         }},
        {"run too much into a result",
         [](on s) {
             return run_into(s, s.other, {.inputs = {s.held[0]}, .outputs = {2 * q, 39 * q}});
         }},
        {"run with arguments that may move",
         [](on s) {
             return run_into(s, s.step,
                             {.inputs = {s.held[0], s.held[6]},
                              .donated = {s.held[8]},
                              .outputs = {9 * q, 2 * q},
                              .arguments_may_move = true});
         }},
        {"run with arguments that are kept and may move",
         [](on s) {
             return run_into(s, s.other,
                             {.donated = {s.held[0], s.held[6], s.held[8]},
                              .outputs = {4 * q, 6 * q},
                              .kept = {0, 2},
                              .arguments_may_move = true});
         }},
        {"run with a donor that is pinned",
         [](on s) { return error_of(s.memory.run(s.step, {.donated = {s.held[2]}, .outputs = {q}})); }},
        {.name = "runs to the limit",
         .call =
             [](on s) {
                 error why = error::none;
                 for (int run = 0; run < 3; ++run) {
                     const error reason =
                         error_of(s.memory.run(s.step, {.inputs = {s.held[8]}, .outputs = {q, 2 * q}}));
                     why = why == error::none ? reason : why;
                 }
                 return why;
             },
         .of_many_calls = true},
        {"donors of a run",
         [](on s) {
             const run_spec spec{.donated = {s.held.data() + 6, 1}};
             return s.memory.donors_of(spec).empty() ? error::none : error::bad_argument;
         }},
        {"issue", [](on s) { return s.memory.issue({.us = 5}), error::none; }},
        {"run after work",
         [](on s) {
             s.memory.issue({.us = 5});
             return error_of(s.memory.run(s.step, {.inputs = {s.held[0]}, .outputs = {q}}));
         }},
        {"allocate with relief after work",
         [](on s) {
             s.memory.free(s.held[8], s.memory.issue({.us = 5}));
             return error_of(s.memory.allocate(14 * q));
         },
         nullptr, true},
        {"retire", [](on s) { return error_of(s.memory.retire(s.memory.issued())); }},
        {"retire what was not issued", [](on s) { return error_of(s.memory.retire({99})); }},
        {"sync", [](on s) { return s.memory.sync(), error::none; }},
        {"plan", [](on s) { return static_cast<void>(s.memory.plan_for({.bytes = 14 * q})), error::none; }},
        {"relieve",
         [](on s) {
             const auto way = s.memory.plan_for({.bytes = 9 * q});
             return way.found ? error_of(s.memory.relieve(*way.found)) : error::none;
         }},
        {"finish moves", [](on s) { return error_of(s.memory.finish_moves()); }},
        {"reserve metadata", [](on s) { return s.memory.reserve_metadata(200), error::none; }},
        {"fork", [](on s) { return static_cast<void>(s.memory.fork().allocate(9 * q)), error::none; }},
        {"copy", [](on s) { return static_cast<void>(s.memory.copy().free(s.held[6])), error::none; }}};
    if constexpr (imports<typename Memory::placement_type>) {
        list.push_back({"import", [](on s) {
                            return error_of(s.memory.import({s.memory.where(s.held[0]).end(), q}));
                        }});
        list.push_back({"import what is taken", [](on s) { return error_of(s.memory.import({0, 42 * q})); }});
    }
    if constexpr (requires(Memory & memory) { memory.extend(1); })
        list.push_back({"extend", [](on s) {
                            // Bytes in the bounce region, which lies at the top, prevent it.
                            const bool bounced = s.memory.moving().bounced != 0;
                            return s.memory.extend(64 * q) != bounced ? error::none : error::bad_argument;
                        }});
    if constexpr (compacts<typename Memory::placement_type>) {
        list.push_back({"compact", [](on s) { return error_of(s.memory.compact(s.all)); }});
        list.push_back({"compact a little", [](on s) { return error_of(s.memory.compact(2 * q)); }});
        list.push_back({"compact a quantum", [](on s) { return error_of(s.memory.compact(q)); }});
    }
    return list;
}

/// The plan that a call of `follow` begins, with the sizes of a batch in other places than they would have.
inline constexpr std::array<scheduled_block, 3> planned_batch{{{4, 1}, {2, 2, 0}, {0, 1, 1}}};

/// Adds the calls of managers that follow plans.
template <class Memory>
void add_plans(std::vector<operation<Memory>>& list) {
    using on = stage<Memory>&;
    constexpr std::uint64_t q = fault_quantum;
    constexpr auto follow = [](on s) {
        return s.memory.follow(schedule{.blocks = planned_batch, .height = 5}) ? error::none : error::bad_argument;
    };
    constexpr auto follow_two = [](on s) {
        static_cast<void>(s.memory.follow(schedule{.blocks = planned_batch, .height = 5}));
        for (const std::uint64_t size : {q, 2 * q}) static_cast<void>(s.memory.allocate(size));
    };
    list.push_back({"follow", follow});
    list.push_back({"follow what does not fit", [](on s) {
                        return s.memory.follow(schedule{.blocks = planned_batch, .height = 41}) ? error::none
                                                                                                : error::bad_argument;
                    }});
    list.push_back({"follow another plan", follow, follow_two});
    list.push_back({"allocate as planned", [](on s) { return error_of(s.memory.allocate(q)); }, follow_two});
    list.push_back(
        {"allocate with relief in a plan", [](on s) { return error_of(s.memory.allocate(9 * q)); }, follow_two});
    list.push_back({"free in a plan", [](on s) { return error_of(s.memory.free(s.held[6])); }, follow_two});
    list.push_back({"run in a plan",
                    [](on s) {
                        return error_of(s.memory.run(s.other, {.donated = {s.held[6]}, .outputs = {q, 4 * q}}));
                    },
                    follow_two});
}

/// All calls of a manager.
template <class Memory>
std::vector<operation<Memory>> operations_of() {
    std::vector<operation<Memory>> list = operations<Memory>();
    if constexpr (requires(Memory memory) { memory.follow(schedule{}); }) add_plans(list);
    return list;
}

}  // namespace hbm::test
