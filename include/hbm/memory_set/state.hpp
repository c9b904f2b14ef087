#pragma once

#include <hbm/core/error.hpp>
#include <hbm/core/handle.hpp>
#include <hbm/core/result.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/memory_set/adopted.hpp>
#include <hbm/memory_set/late_frees.hpp>
#include <hbm/memory_set/specs.hpp>
#include <hbm/mesh/table.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>

namespace hbm::inline v0::detail {

/// The state of a `memory_set` that a fork copies: managers, programs, runs in flight, adopted memory.
template <class... Managers>
struct set_state {
    static constexpr std::size_t count = sizeof...(Managers);

    std::tuple<Managers...> memories;
    std::uint32_t salt = 0;
    mesh_table<set_program, program> programs;  // with a part for each memory, empty if the program has none there
    adopted_memory adopted;
    trivial_vector<std::array<fence, count>> flights;  // by run after `reached`: its fence in each memory, if any
    late_frees<count> late;
    fence reached;

    friend constexpr bool operator==(const set_state&, const set_state&) = default;

    [[nodiscard]] constexpr set_state<typename Managers::forked...> fork() const {
        return std::apply(
            [this](const auto&... memory) {
                return set_state<typename Managers::forked...>{
                    {memory.fork()...}, salt, programs, adopted, flights, late, reached};
            },
            memories);
    }

    /// Returns `act(manager)` for the manager of a number; its result has one type for all.
    template <class Act>
    constexpr auto visit(std::size_t number, Act act) const {
        return visit_from<0>(*this, number, act);
    }
    template <class Act>
    constexpr auto visit(std::size_t number, Act act) {
        return visit_from<0>(*this, number, act);
    }

    [[nodiscard]] constexpr program part(set_program held, std::size_t number) const noexcept {
        return programs.part(held, number, count);
    }
    [[nodiscard]] constexpr error check(set_buffer held) const noexcept {
        if (held.memory >= count) return error::foreign_handle;
        if (held.adopted) return adopted.check(held.held, salt);
        const error why = visit(held.memory, [&](const auto& memory) { return memory.check(held.held); });
        return why == error::none && late.contains(held) ? error::stale_handle : why;
    }

    /// Frees a valid buffer once an issued fence is reached.
    /// Fails: `too_many_pins` if its memory does not know the fence and the buffer cannot be pinned.
    constexpr error free(set_buffer freed, fence until) {
        if (freed.adopted) {
            adopted.end(freed.held, until, reached);
            return error::none;
        }
        const fence there = until <= reached ? fence{} : flights[until.number - reached.number - 1][freed.memory];
        const bool is_late = until > reached && there == fence{};
        const error why = visit(freed.memory, [&](auto& memory) {
            const auto outcome = is_late           ? memory.pin(freed.held)
                                 : there > fence{} ? memory.free(freed.held, there)
                                                   : memory.free(freed.held);
            return outcome ? error::none : outcome.error().reason;
        });
        if (is_late && why == error::none) late.add({freed, until});
        return why;
    }

    // -- runs --

    /// Returns the name of a program in a memory where it has a part, valid until that memory changes.
    [[nodiscard]] constexpr const char* name_of(set_program held) const noexcept {
        std::size_t at = 0;
        while (!part(held, at)) ++at;
        return visit(at, [&](const auto& memory) { return memory.name_of(memory.about(part(held, at)).label); });
    }
    /// Interns the name of a program in the memories where a run gives it its first part: forks know only such names.
    constexpr void intern_name(set_program held, const std::array<bool, count>& uses) {
        for (std::size_t at = 0; at < count; ++at)
            if (uses[at] && !part(held, at))
                visit(at, [&](auto& memory) { static_cast<void>(memory.tag_for_call(name_of(held))); });
    }
    /// Returns by memory if a run uses it: for a part of the program, an argument or an output.
    template <class Kind>
    [[nodiscard]] constexpr std::array<bool, count> memories_of(set_program subject,
                                                                const set_run_spec<Kind>& spec) const {
        std::array<bool, count> uses{};
        for (std::size_t at = 0; at < count; ++at) uses[at] = static_cast<bool>(part(subject, at));
        for (const list<set_buffer>& arguments : {spec.inputs, spec.donated})
            for (const set_buffer argument : arguments) uses[argument.memory] |= !argument.adopted;
        for (const set_output<Kind>& fresh : spec.outputs) uses[fresh.kind.number()] = true;
        return uses;
    }
    /// Checks handles and indices of a run, its adopted arguments, and that partners have one kind. The managers check
    /// the rest.
    /// Cost: O(arguments).
    template <class Kind>
    [[nodiscard]] constexpr failure check_run(set_program subject, const set_run_spec<Kind>& spec) noexcept {
        if (const error why = programs.check(subject, salt); why != error::none) return {.reason = why};
        const auto inputs = static_cast<std::uint32_t>(spec.inputs.size());
        std::uint32_t argument = 0;
        for (const list<set_buffer>& arguments : {spec.inputs, spec.donated})
            for (const set_buffer held : arguments) {
                if (const error why = check(held); why != error::none) return {.reason = why, .argument = argument};
                ++argument;
            }
        for (const std::uint32_t kept : spec.kept)
            if (kept >= spec.donated.size()) return {.reason = error::bad_argument, .first_use = kept};
        const failure why = check_adopted(spec);
        for (const set_buffer donor : spec.donated)
            if (donor.adopted) adopted.mark(donor.held) = false;
        if (why.reason != error::none) return why;
        for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
            const set_output<Kind>& fresh = spec.outputs[at];
            if (fresh.alias == aliasing::any) continue;
            if (fresh.partner >= spec.donated.size())
                return {.reason = error::bad_argument, .argument = at, .first_use = fresh.partner};
            if (spec.donated[fresh.partner].adopted)
                return {.reason = error::donor_is_referenced, .argument = inputs + fresh.partner};
            if (spec.donated[fresh.partner].memory != fresh.kind.number())
                return {.reason = error::alias_of_other_size,
                        .requested = fresh.bytes,
                        .argument = at,
                        .first_use = inputs + fresh.partner};
        }
        return {};
    }
    /// Enters a run that was made, with its fence in each memory, if any. Returns its fence of the set.
    template <class Kind>
    constexpr fence begin_run(const std::array<fence, count>& over, const set_run_spec<Kind>& spec) {
        flights.push_back(over);
        for (const list<set_buffer>& arguments : {spec.inputs, spec.donated})
            for (const set_buffer argument : arguments)
                if (argument.adopted) adopted.use(argument.held, issued());
        return issued();
    }

    // -- time --

    [[nodiscard]] constexpr fence issued() const noexcept { return {reached.number + flights.size()}; }
    /// Notes runs that a memory has declared over: then all memories have reached them.
    /// Cost: O(runs in flight).
    constexpr void catch_up() {
        std::size_t over = flights.size();
        while (over != 0 && !is_over(flights[over - 1])) --over;
        if (over != 0) retire_first(over);
    }
    /// Ends the first `number` runs in flight in all memories.
    constexpr void retire_first(std::size_t number) {
        reached.number += number;
        // Before the memories retire: a free of a pinned buffer takes effect there.
        late.retire(reached, [&](set_buffer freed) {
            visit(freed.memory, [&](auto& memory) {
                memory.unpin(freed.held);
                memory.free(freed.held);
            });
        });
        for (std::size_t at = 0; at < count; ++at)
            visit(at, [&](auto& memory) {
                fence latest = memory.reached();
                for (std::size_t run = 0; run < number; ++run)
                    if (latest < flights[run][at]) latest = flights[run][at];
                memory.retire(latest);
            });
        flights.erase(flights.begin(), flights.begin() + number);
        adopted.retire(reached);
    }

private:
    /// Checks that no adopted memory is donated or kept twice, donated and used, or donated and not kept. Leaves marks.
    /// Requires: valid handles and indices of `kept`.
    template <class Kind>
    [[nodiscard]] constexpr failure check_adopted(const set_run_spec<Kind>& spec) noexcept {
        const auto inputs = static_cast<std::uint32_t>(spec.inputs.size());
        const auto first_donation = [&](set_buffer donor) {
            std::uint32_t at = 0;
            while (!spec.donated[at].adopted || spec.donated[at].held != donor.held) ++at;
            return inputs + at;
        };
        for (std::uint32_t at = 0; at < spec.donated.size(); ++at) {
            if (!spec.donated[at].adopted) continue;
            bool& is_donated = adopted.mark(spec.donated[at].held);
            if (is_donated)
                return {.reason = error::donated_twice,
                        .argument = inputs + at,
                        .first_use = first_donation(spec.donated[at])};
            is_donated = true;
        }
        for (std::uint32_t at = 0; at < inputs; ++at)
            if (spec.inputs[at].adopted && adopted.mark(spec.inputs[at].held))
                return {
                    .reason = error::donated_and_used, .argument = first_donation(spec.inputs[at]), .first_use = at};
        for (const std::uint32_t kept : spec.kept) {
            if (!spec.donated[kept].adopted) continue;
            bool& is_lost = adopted.mark(spec.donated[kept].held);
            if (!is_lost) return {.reason = error::kept_twice, .argument = inputs + kept};
            is_lost = false;
        }
        for (std::uint32_t at = 0; at < spec.donated.size(); ++at)
            if (spec.donated[at].adopted && adopted.mark(spec.donated[at].held))
                return {.reason = error::donor_is_referenced, .argument = inputs + at};
        return {};
    }
    template <std::size_t At, class State, class Act>
    static constexpr auto visit_from(State& state, std::size_t number, Act& act) {
        if constexpr (At + 1 < count)
            if (number != At) return visit_from<At + 1>(state, number, act);
        return act(std::get<At>(state.memories));
    }
    /// Returns true if a memory has reached its fence of a run.
    [[nodiscard]] constexpr bool is_over(const std::array<fence, count>& run) const noexcept {
        bool over = false;
        for (std::size_t at = 0; at < count; ++at)
            over |= run[at] != fence{} && visit(at, [&](const auto& memory) {
                        if constexpr (requires { memory.is_over(run[at]); })
                            return memory.is_over(run[at]);
                        else
                            return memory.reached() >= run[at];
                    });
        return over;
    }
};

}  // namespace hbm::inline v0::detail
