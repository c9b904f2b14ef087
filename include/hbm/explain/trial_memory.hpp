#pragma once

#include <hbm/blocks/live_blocks.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/explain/attempt.hpp>
#include <hbm/explain/message.hpp>
#include <hbm/manager.hpp>
#include <hbm/planning/relief.hpp>
#include <hbm/state/problem_of.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace hbm::inline v0 {

struct explain_options {
    /// The limit of block visits in the search for remedies. Work that does not fit is skipped (`ended_by_effort`).
    /// A visit takes longer if a run has several outputs, which are then packed: O(outputs x holes) at times.
    std::uint64_t effort = 1'000'000;
    bool blocks_stay = false;  ///< the manager's relief policy moves no blocks, although its placement permits it
    failure_place place = {};  ///< place of the failure, for its message
};

namespace detail {

struct manager_abilities {
    bool moves = false;     ///< it may move blocks
    bool evicts = false;    ///< it may evict programs
    bool donates = false;   ///< outputs may take over donated inputs
    bool monotone = false;  ///< a buffer fits if a larger buffer fits
};

/// The memory when a part of an attempt did not fit, with the earlier parts in place. Sizes in bytes.
struct refused_part {
    std::vector<block_view> blocks = {};      ///< in address order, with holes; parts of the attempt have no handle
    std::vector<std::uint32_t> outputs = {};  ///< for each block the index of the run's output, or `no_index`
    std::uint64_t free = 0;
};

/// A memory on whose copies attempts are tried; type-erased, so that explanations are compiled once for all policies.
/// All functions leave the memory unchanged. An interrupted move counts as finished.
class trial_memory {
public:
    manager_abilities by_itself;
    std::vector<block_view> blocks;  ///< in address order, without holes
    std::uint64_t capacity_bytes = 0;
    std::uint64_t reserved_bytes = 0;    ///< scratch at the bottom
    std::uint64_t reservable_bytes = 0;  ///< possible growth of the reservation without relief
    std::uint64_t unshared_bytes = 0;    ///< the part of the reservation that a new program does not share

    /// Tries an attempt on a copy. Returns its failure; the reason is `error::none` if it succeeded.
    /// Cost: the plans made are paid from `budget`, if there is one.
    [[nodiscard]] virtual failure try_out(const attempt& tried, search_budget* budget = nullptr) const = 0;
    /// Returns true if the attempt, which failed for the reason `why`, succeeds on a copy after the advice is applied.
    [[nodiscard]] virtual bool helps(const advice& given, const attempt& tried, error why,
                                     search_budget& budget) const = 0;
    /// Returns by output the index of the input to take over, or `no_index`; empty if the arguments are invalid.
    [[nodiscard]] virtual std::vector<std::uint32_t> donors_of(const run_spec& run) const = 0;
    /// Returns the planning problem of an attempt; empty if it is invalid.
    /// All blocks may move if the placement can move them, and all programs except the attempt's may be evicted.
    [[nodiscard]] virtual std::optional<planning_problem> problem_for(const attempt& tried) const = 0;
    /// Places the attempt part by part, without relief, until a part does not fit; empty if the attempt is invalid.
    [[nodiscard]] virtual std::optional<refused_part> first_refused(const attempt& tried) const = 0;

    [[nodiscard]] virtual const memory_records& records() const = 0;
    [[nodiscard]] virtual const char* name_of(tag label) const = 0;

protected:
    trial_memory() = default;
    trial_memory(const trial_memory&) = delete;
    trial_memory& operator=(const trial_memory&) = delete;
    ~trial_memory() = default;
};

template <placement P, eviction E, donation D, relief R, device V, observer O>
[[nodiscard]] constexpr manager_abilities abilities_of(const manager<P, E, D, R, V, O>&) noexcept {
    constexpr bool relieves = !std::is_same_v<R, never_relieve>;
    return {compacts<P> && relieves, evicts<E> && relieves, donates<D>, !compacts<P>};
}

template <class Memory>
class trial_memory_of final : public trial_memory {
    using P = typename Memory::placement_type;
    using quanta = typename P::quanta;

public:
    /// Copies `memory`. If `blocks_stay`, its relief policy moves none, although its placement permits it.
    explicit trial_memory_of(const Memory& memory, bool blocks_stay) : origin_(memory.fork()) {
        by_itself = abilities_of(memory);
        by_itself.moves = by_itself.moves && !blocks_stay;
        by_itself.monotone = by_itself.monotone || blocks_stay;
        (void)origin_.finish_moves();  // cannot fail on a fork
        for (const block_view& block : origin_.blocks()) blocks.push_back(block);
        capacity_bytes = origin_.capacity_bytes();
        reserved_bytes = origin_.reserved_bytes();
        reservable_bytes = origin_.reservable_bytes();
        if constexpr (reserves<P>)
            if (P::sharing == scratch_sharing::per_program) unshared_bytes = origin_.state().scratch_level();
    }

    [[nodiscard]] failure try_out(const attempt& tried, search_budget* budget) const override {
        // A fork has no device and no observer, so nothing is copied and nobody is told. It honours the original's
        // handles, which is what lets the attempt be made there as it is.
        auto copy = budget != nullptr ? origin_.fork(*budget) : origin_.fork();
        return tried.on(copy);
    }
    [[nodiscard]] bool helps(const advice& given, const attempt& tried, error why,
                             search_budget& budget) const override {
        auto copy = origin_.fork(budget);
        attempt again = tried;
        return apply(given, copy, again, why) && again.on(copy).reason == error::none;
    }
    [[nodiscard]] std::vector<std::uint32_t> donors_of(const run_spec& run) const override {
        const trivial_vector<std::uint32_t> donors = origin_.donors_of(run);
        return {donors.begin(), donors.end()};
    }
    [[nodiscard]] std::optional<planning_problem> problem_for(const attempt& tried) const override {
        // The problem is wider than the manager's own: everything that can be moved may move and every program may
        // leave, whatever the policies say, for the remedies include those made by hand. All scores are 0, as no
        // eviction policy takes part. The attempt's own program stays.
        std::optional<listed_attempt> listed = list(tried);
        if (!listed) return std::nullopt;
        std::vector<need<quanta>> needs;
        for (const call_part<quanta>& part : listed->parts)
            if (part.kind != part_kind::reservation) needs.push_back(part.required);
        const std::vector<std::uint64_t> scores(listed->state.programs.size(), 0);
        planning_problem problem = problem_of(listed->state, std::span<const need<quanta>>{needs}, victims::window,
                                              std::span<const std::uint64_t>{scores});
        problem.may_move = relocates<P>;
        for (problem_program& candidate : problem.programs)
            if (candidate.slot == listed->slot) candidate.evictable_after = never;
        return problem;
    }
    [[nodiscard]] std::optional<refused_part> first_refused(const attempt& tried) const override {
        std::optional<listed_attempt> listed = list(tried);
        if (!listed) return std::nullopt;
        memory_state<P>& state = listed->state;
        const std::size_t placed = detail::place_in_order<P>(state, listed->parts);
        const std::span<const call_part<quanta>> parts{listed->parts.data(), placed};
        if (listed->slot != no_index) own_program<P>(state, listed->slot, parts);
        // The parts that are placed already are blocks like others, but theirs are no handles of the user.
        refused_part refused{.free = state.bytes(state.blocks.map().free())};
        for (block_view block : block_range<quanta>{state.blocks.map(), state.shift(), state.salt, true}) {
            std::uint32_t output = no_index;
            for (const call_part<quanta>& part : parts) {
                if (part.kind != part_kind::data || block.handle.index != part.block) continue;
                output = part.output;
                block.handle = {};
                block.owner = static_cast<std::uint32_t>(listed->labels[output]);
            }
            refused.blocks.push_back(block);
            refused.outputs.push_back(output);
        }
        return refused;
    }

    [[nodiscard]] const memory_records& records() const override { return origin_.state(); }
    [[nodiscard]] const char* name_of(tag label) const override { return origin_.name_of(label); }

private:
    struct listed_attempt {
        memory_state<P> state;
        std::uint32_t slot = no_index;
        trivial_vector<call_part<quanta>> parts = {};
        std::vector<tag> labels = {};  // of the outputs
    };

    /// Lists the parts of an attempt as the manager's own call would, on a copy of the state: the program comes into a
    /// slot, new or its own, and counts as resident, so that its parts are placed but not its former self.
    [[nodiscard]] std::optional<listed_attempt> list(const attempt& tried) const {
        listed_attempt listed{.state = origin_.state()};
        memory_state<P>& state = listed.state;
        const std::uint64_t quantum = state.spec.quantum;
        if (tried.what() == attempt::kind::nothing) return std::nullopt;
        if (tried.what() == attempt::kind::allocate) {
            const request& request = tried.asked();
            call_part<quanta>& part = listed.parts.emplace_back();
            if (to_need(request, quantum, part.required) != error::none) return std::nullopt;
            part.required.expected = request.expected;
            part.output = 0;
            listed.labels.push_back(request.label);
            return listed;
        }
        if (tried.what() == attempt::kind::load) {
            const std::optional<program_record> record = record_of(state, tried.spec());
            if (!record) return std::nullopt;
            listed.slot = static_cast<std::uint32_t>(state.programs.size());
            state.programs.push_back(*record);
        } else {
            if (origin_.check(tried.subject()) != error::none) return std::nullopt;
            listed.slot = tried.subject().index;
        }
        if (program_record& record = state.programs[listed.slot]; !record.resident) {
            add_program(state, listed.slot, listed.parts);
            record.resident = true;
        }
        if (tried.what() != attempt::kind::run) return listed;
        const bool good = tried.with_run([&](const run_spec& run) {
            const trivial_vector<std::uint32_t> donors = origin_.donors_of(run);
            if (donors.size() != run.outputs.size()) return false;
            add_outputs(state, run, std::span<const std::uint32_t>{donors.data(), donors.size()}, listed.parts);
            for (const output& output : run.outputs) listed.labels.push_back(output.label);
            return true;
        });
        if (!good) return std::nullopt;
        return listed;
    }

    // Mutable because `donors_of` uses scratch lists inside; the state never changes.
    mutable typename Memory::forked origin_;
};

}  // namespace detail

}  // namespace hbm::inline v0
