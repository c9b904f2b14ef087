#pragma once

/// A `memory_set` and its plain model, which get the same calls and are compared after each.

#include <hbm/donation/donation.hpp>
#include <hbm/memory_set.hpp>
#include <hbm/placement/first_fit.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "memory_set/plain_set.hpp"

namespace hbm::test {

enum class verb { allocate, free, move_to, load, unload, run, retire, adopt };

/// A call by the model's numbers of buffers and programs; sizes in quanta of one byte.
struct plain_call {
    verb what = verb::retire;
    int kind = 0, size = 0, subject = -1, until = 0;
    bool copies = true;
    std::vector<int> inputs = {}, donated = {};
    std::vector<plain_part> parts = {};  ///< of a program, or outputs of a run
    std::string text = {};
};

using small_manager = manager<first_fit, never_evict, donate_same_size>;
template <class Spill>
using two_kinds = memory_set<Spill, of_kind<"device", small_manager>, of_kind<"pinned_host", small_manager>>;

template <class Spill>
class set_and_model {
    using set_type = two_kinds<Spill>;
    using kind = typename set_type::kind;

public:
    set_and_model(int device, int host, int runs_in_flight, const Spill& policy = {})
        : set({memory_spec{.capacity = static_cast<std::uint64_t>(device),
                           .quantum = 1,
                           .runs_in_flight = static_cast<std::uint32_t>(runs_in_flight)},
               memory_spec{.capacity = static_cast<std::uint64_t>(host), .quantum = 1}},
              {.spill = policy, .salt = 7}),
          model{.memories = {{device, {}, {}}, {host, {}, {}}}, .runs_in_flight = runs_in_flight} {}

    [[nodiscard]] set_and_model copy() const { return *this; }

    /// Makes a call of the set and of the model. Returns the first difference, or null.
    const char* act(const plain_call& call) {
        const set_type before = set;
        const char* broken = act_on_both(call);
        if (broken != nullptr) return broken;
        if (failed && !(set == before) && !(call.what == verb::move_to && !call.copies))
            return "a call that failed changed the set";
        return compare();
    }

    set_type set;
    plain_set model;
    std::vector<set_buffer> buffers = {};     // by number
    std::vector<set_program> programs = {};   // by number
    std::vector<std::vector<int>> runs = {};  // of each program
    int* released = nullptr;                  // counts calls of owners
    bool failed = false;
    int failures = 0, spilled = 0;

private:
    [[nodiscard]] static kind kind_at(int number) { return *kind::at(static_cast<std::size_t>(number)); }

    /// Compares a result with a number of the model, -1 for a failure, and keeps the new handle.
    template <class Result, class Handle>
    const char* agree(const Result& outcome, int number, std::vector<Handle>& handles) {
        failed = !outcome;
        failures += failed;
        if (failed != (number == -1)) return "a call fails that should succeed, or succeeds that should fail";
        if (failed) return named(outcome.error());
        if (number == static_cast<int>(handles.size())) handles.push_back(*outcome);
        return handles[static_cast<std::size_t>(number)] == *outcome ? nullptr : "a handle changed";
    }
    const char* named(const set_failure& why) const {
        return std::string(why.kind) == kind_at(model.failed).name() ? nullptr : "a failure names another kind";
    }
    /// Ends a number of the model that the set did not give out.
    void skip_number() {
        while (static_cast<int>(buffers.size()) < model.buffers) buffers.emplace_back();
    }

    const char* act_on_both(const plain_call& call) {
        failed = false;
        const auto subject = static_cast<std::size_t>(call.subject);
        const fence until{static_cast<std::uint64_t>(call.until)};
        const char* broken = nullptr;
        switch (call.what) {
        case verb::allocate: {
            const auto held = set.allocate(kind_at(call.kind), static_cast<std::uint64_t>(call.size));
            broken = agree(held, model.allocate(call.kind, call.size, spills<Spill>), buffers);
            spilled += held && set.kind_of(*held) != kind_at(call.kind);
            break;
        }
        case verb::adopt:
            model.adopt();
            broken = agree(set.adopt(kind_at(call.kind), {1'000, 1}, owner()), model.buffers - 1, buffers);
            break;
        case verb::free:
            model.free(call.subject, call.until);
            if (!set.free(buffers[subject], until)) return "a free fails";
            break;
        case verb::move_to: {
            const auto moved =
                set.move_to(buffers[subject], kind_at(call.kind), [&](const auto&) { return call.copies; });
            broken = agree(moved, model.move_to(call.subject, call.kind, call.copies), buffers);
            break;
        }
        case verb::load: {
            std::vector<set_part<kind>> parts;
            for (const plain_part& part : call.parts)
                parts.push_back({kind_at(part.kind), static_cast<std::uint64_t>(part.size)});
            broken = agree(set.load({.parts = parts}), model.load(call.parts), programs);
            runs.resize(programs.size());
            break;
        }
        case verb::unload:
            model.unload(call.subject, runs[subject]);
            if (!set.unload(programs[subject])) return "an unload fails";
            break;
        case verb::run: return run(call);
        case verb::retire:
            model.retire(call.until);
            if (!set.retire(until)) return "a fence is unknown";
            break;
        }
        skip_number();
        return broken;
    }

    const char* run(const plain_call& call) {
        std::vector<set_buffer> inputs, donated;
        for (const int input : call.inputs) inputs.push_back(buffers[static_cast<std::size_t>(input)]);
        for (const int donor : call.donated) donated.push_back(buffers[static_cast<std::size_t>(donor)]);
        std::vector<set_output<kind>> outputs;
        for (const plain_part& output : call.parts)
            outputs.push_back({kind_at(output.kind), static_cast<std::uint64_t>(output.size)});
        const auto ran = set.run(programs[static_cast<std::size_t>(call.subject)],
                                 {.inputs = inputs, .donated = donated, .outputs = outputs, .run_us = 1});
        for (const int input : call.inputs)
            for (const int donor : call.donated)
                if (input == donor) {
                    failed = !ran;  // perhaps before that, for want of room in the first memory
                    return failed ? nullptr : "a buffer is donated and used in one run";
                }
        std::vector<int> donors;
        const auto expected = model.run(call.subject, call.inputs, call.donated, call.parts, donors);
        failed = !ran;
        failures += failed;
        if (failed == expected.has_value()) return "a run fails that should succeed, or succeeds that should fail";
        if (failed) return named(ran.error());
        if (ran->over.number != static_cast<std::uint64_t>(model.issued)) return "a run has another fence";
        for (std::size_t at = 0; at < outputs.size(); ++at) {
            if (static_cast<int>(ran->donors[at]) != donors[at]) return "an output has another donor";
            if (set.kind_of(ran->outputs[at]) != outputs[at].kind) return "an output has another kind";
            buffers.push_back(ran->outputs[at]);
        }
        runs[static_cast<std::size_t>(call.subject)].push_back(model.issued);
        return nullptr;
    }

    [[nodiscard]] memory_owner owner() const {
        return {[](void* count, extent) noexcept { ++*static_cast<int*>(count); }, released};
    }

    /// Compares all blocks, handles and fences.
    const char* compare() {
        if (set.issued().number != static_cast<std::uint64_t>(model.issued)) return "other runs are issued";
        if (set.reached().number != static_cast<std::uint64_t>(model.reached)) return "other runs are over";
        for (std::size_t at = 0; at < model.memories.size(); ++at) {
            const std::string shown = set.visit(kind_at(static_cast<int>(at)), [](const auto& memory) {
                std::string text(memory.capacity_bytes(), '.');
                for (const block_view& block : memory.blocks())
                    text.replace(block.where.offset, block.where.size, block.where.size,
                                 block.kind == block_kind::data   ? 'B'
                                 : block.kind == block_kind::code ? 'C'
                                                                  : 'D');
                return text;
            });
            if (shown != model.memories[at].shown()) return "a memory has other blocks";
        }
        for (std::size_t number = 0; number < buffers.size(); ++number) {
            const int where = model.kind_of(static_cast<int>(number));
            const plain_block* block =
                where < 0 ? nullptr : model.memories[static_cast<std::size_t>(where)].find(static_cast<int>(number));
            bool is_live = block != nullptr && !block->freed;
            for (const auto& own : model.adopted)
                is_live = is_live || (own.buffer == static_cast<int>(number) && !own.freed);
            if ((set.check(buffers[number]) == error::none) != is_live) return "a handle is valid that should not be";
            if (block == nullptr || block->freed) continue;
            if (set.kind_of(buffers[number]).number() != static_cast<std::size_t>(where)) return "a kind changed";
            if (set.where(buffers[number]) !=
                extent{static_cast<std::uint64_t>(block->offset), static_cast<std::uint64_t>(block->size)})
                return "a buffer lies elsewhere";
        }
        return nullptr;
    }
};

}  // namespace hbm::test
