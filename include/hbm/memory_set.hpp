#pragma once

#include <hbm/core/bytes.hpp>
#include <hbm/core/call_site.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/manager.hpp>
#include <hbm/manager/joint_call.hpp>
#include <hbm/memory_set/adopted.hpp>
#include <hbm/memory_set/bound_run.hpp>
#include <hbm/memory_set/kinds.hpp>
#include <hbm/memory_set/specs.hpp>
#include <hbm/memory_set/spill.hpp>
#include <hbm/memory_set/state.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>

namespace hbm::inline v0 {

/// The memories of one device under one roof, such as HBM and pinned host memory: a manager for each kind.
///
///     using memories = hbm::memory_set<hbm::spill_in_order, hbm::of_kind<"device", hbm::tpu::runtime_memory>,
///                                      hbm::of_kind<"pinned_host", hbm::manager<hbm::best_fit>>>;
///
/// Requests name a kind. A buffer that is placed changes its kind only by `move_to`, and is never evicted.
/// A call that concerns several memories is made in all or in none: a failed call leaves the set as it was (`==`), and
/// its failure names the kind of the memory that failed. After the attempts on forks only a device that fails to copy
/// can fail. Then other memories undo the call; relief is not undone, and buffers that they donated are lost.
/// Runs have one time line: a run that is over in one memory is over in all, and so are all runs before it.
///
/// A regular value if managers are: copies honour each other's handles. Copies and forks call no owner of adopted
/// memory; destruction and assignment call the owners of all that is left.
/// Requires: observers and devices do not throw.
/// Cost: that of the managers' calls, and the forks of the managers concerned if a call concerns several.
template <class Spill, class... Memories>
class memory_set {
    static_assert(check_spill<Spill>());
    static_assert(sizeof...(Memories) != 0, "a memory_set has a spill policy and memories: "
                                            "hbm::memory_set<hbm::never_spill, hbm::of_kind<\"device\", Manager>>");
    static_assert(memory_kind<Memories::kind...>::are_distinct(), "two memories of a memory_set have one kind");

public:
    using kind = memory_kind<Memories::kind...>;
    using program_spec = set_program_spec<kind>;
    using run_spec = set_run_spec<kind>;
    using output = set_output<kind>;
    using move = set_move<kind>;
    using failure_type = set_failure;
    /// A fork: this set without devices, observers and owners.
    using forked = memory_set<Spill, of_kind<Memories::kind, typename Memories::manager_type::forked>...>;
    static constexpr std::size_t count = sizeof...(Memories);

    /// The policies, devices and observers of the managers, in the order of the set.
    struct options {
        Spill spill{};
        std::tuple<typename Memories::manager_type::options...> memories{};
        /// Distinguishes handles of this set from others; by default from the source location and the specs.
        std::optional<std::uint32_t> salt{};
    };

    /// Constructs memories of no bytes: every request fails.
    constexpr memory_set() = default;
    /// Constructs the memories of `specs`, in the order of the set. All may have as many runs in flight as the spec
    /// that has the most. Sets made in one place, as in a loop, need salts of their own.
    template <std::size_t Count>
    constexpr explicit memory_set(const memory_spec (&specs)[Count], const options& given = {},
                                  call_site site = call_site::here())
        : spill_(given.spill) {
        static_assert(Count == count, "a memory_set has one memory_spec for each kind, in its order");
        std::uint32_t in_flight = 0;
        for (const memory_spec& spec : specs) {
            in_flight = spec.runs_in_flight > in_flight ? spec.runs_in_flight : in_flight;
            site = {site.salted(spec.capacity, spec.quantum, spec.top_reserved, spec.bounce)};
        }
        state_.salt = given.salt.value_or(site.number);
        construct(specs, given, in_flight, std::make_index_sequence<count>());
    }

    // -- buffers --

    /// Allocates a buffer in the memory of a kind, or where the spill policy chooses, as `like` requests.
    /// `bytes` and `label` replace those of `like`.
    /// Cost: with a policy that spills, a plan for each memory in question unless the request surely fits.
    [[nodiscard]] constexpr set_result<set_buffer> allocate(kind where, std::uint64_t bytes, const char* label = "",
                                                            const request& like = {}) {
        request wanted = like;
        wanted.bytes = bytes;
        std::size_t number = where.number();
        if constexpr (spills<Spill>) number = choose_memory(number, wanted, label);
        return place(number, wanted, label);
    }
    /// Fails: `negative_size` below zero.
    template <std::signed_integral Int>
    [[nodiscard]] constexpr set_result<set_buffer> allocate(kind where, Int bytes, const char* label = "",
                                                            const request& like = {}) {
        if (bytes < 0) return blame(where.number(), {.reason = error::negative_size});
        return allocate(where, static_cast<std::uint64_t>(bytes), label, like);
    }
    template <std::floating_point Float>
    set_result<set_buffer> allocate(kind, Float, const char* = "", const request& = {}) = delete;  // whole bytes

    /// Adopts memory of another owner, which the set neither allocates nor moves, as a buffer of a kind. A run may read
    /// and write it, but donate it only if it is kept; pins do not affect it. After `free`, the owner is called once
    /// its runs and fences are over. A range that is adopted twice is two buffers, and has two owners to call.
    /// Fails: `range_is_taken` if the range overlaps the memory that the set manages, or ends beyond 2^64 - 1.
    [[nodiscard]] constexpr set_result<set_buffer> adopt(kind where, extent range, const memory_owner& owner = {}) {
        const std::uint64_t managed = visit(where, [](const auto& memory) { return memory.spec().capacity; });
        const bool wraps = range.size > ~range.offset;
        if (wraps || (range.size != 0 && range.offset < managed))
            return blame(where.number(), {.reason = error::range_is_taken, .requested = range.size});
        return set_buffer{state_.adopted.begin(range, owner, state_.salt), static_cast<std::uint8_t>(where.number()),
                          true};
    }

    /// Frees a buffer; its handle becomes stale. Memory in use by runs in flight returns when they are over.
    constexpr set_result<done> free(set_buffer freed) { return free(freed, fence{}); }
    /// Frees a buffer that is in use elsewhere until a fence of the set. If its run has no part in the memory, the
    /// buffer is pinned until then, and no request waits for it, unlike in a manager: call `retire` first.
    /// Fails: `unknown_fence` if the fence was not issued; `too_many_pins` if the buffer cannot be pinned.
    constexpr set_result<done> free(set_buffer freed, fence until) {
        if (const error why = check(freed); why != error::none) return refuse(why);
        if (until > issued()) return refuse(error::unknown_fence);
        if (const error why = state_.free(freed, until); why != error::none)
            return blame(freed.memory, {.reason = why});
        return done{};
    }

    /// Pins a buffer, like a reference from outside: it is not moved or donated until it is unpinned as often.
    constexpr set_result<done> pin(set_buffer pinned) {
        return on_buffer(pinned, [&](auto& memory) { return memory.pin(pinned.held); });
    }
    constexpr set_result<done> unpin(set_buffer pinned) {
        return on_buffer(pinned, [&](auto& memory) { return memory.unpin(pinned.held); });
    }

    /// Moves a buffer to the memory of another kind, or adopted memory into a memory of the set, and returns its new
    /// handle. `bool copy(const memory_set::move&)` copies the bytes while both places are held, or returns false.
    /// The old place returns when runs in flight that use it are over. No effect if it is in that memory already.
    /// Requires: `copy` neither throws nor calls the set, and orders itself after runs in flight that write the buffer.
    /// Fails: `device_failed` if the copy does, and relief remains; `donor_is_referenced` if pinned; like `allocate`.
    template <class Copy>
    [[nodiscard]] constexpr set_result<set_buffer> move_to(set_buffer moved, kind target, Copy copy,
                                                           const request& like = {}) {
        if (const error why = check(moved); why != error::none) return refuse(why);
        if (moved.memory == target.number() && !moved.adopted) return moved;
        request wanted = like;
        wanted.bytes = granted(moved);
        const char* label = "";
        if (!moved.adopted) {
            const bool pinned = state_.visit(moved.memory, [&](const auto& memory) {
                label = memory.name_of(static_cast<tag>(memory.view().map().owner(moved.held.index)));
                return memory.pins(moved.held) != 0;
            });
            if (pinned) return blame(moved.memory, {.reason = error::donor_is_referenced});
        }
        const set_result<set_buffer> fresh = place(target.number(), wanted, label);
        if (!fresh) return fresh;
        // An interrupted move ends first, so that the bytes are in one place.
        const bool whole =
            moved.adopted || state_.visit(moved.memory, [](auto& memory) { return memory.finish_moves().has_value(); });
        if (!whole || !copy(move{kind_of(moved), where(moved), target, where(*fresh), wanted.bytes})) {
            free(*fresh);
            return blame(whole ? target.number() : moved.memory, {.reason = error::device_failed});
        }
        free(moved);
        return fresh;
    }

    // -- programs --

    /// Loads a program: each part into its memory, all or none.
    [[nodiscard]] constexpr set_result<set_program> load(const program_spec& spec) {
        std::array<hbm::program_spec, count> parts{};
        std::array<bool, count> is_part{};
        is_part[0] = spec.parts.empty();
        for (const set_part<kind>& part : spec.parts) {
            hbm::program_spec& total = parts[part.kind.number()];
            detail::add_part(total, part, !is_part[part.kind.number()]);
            is_part[part.kind.number()] = true;
        }
        for (std::size_t at = 0; at < count; ++at)
            if (is_part[at]) intern(at, spec.name);
        std::array<program, count> loaded{};
        const detail::joint_failure failed = joint_.make(
            count, visitor(), [&](const auto&, std::size_t at) { return !is_part[at]; },
            [&](auto& memory, std::size_t at) {
                if (!is_part[at]) return failure{};
                parts[at].name = spec.name;
                return load_in(memory, parts[at], loaded[at]);
            },
            [&](auto& memory, std::size_t at) {
                if (is_part[at]) memory.unload(loaded[at]);
            });
        state_.catch_up();
        if (failed.why.reason != error::none) return blame(failed.at, failed.why);
        return state_.programs.begin(std::span<const program>(loaded), state_.salt);
    }
    /// Reloads a program in the memories that evicted it, all or none.
    constexpr set_result<done> load(set_program evicted) {
        if (const error why = check(evicted); why != error::none) return refuse(why);
        std::array<bool, count> resident{};
        const detail::joint_failure failed = joint_.make(
            count, visitor(),
            [&](const auto& memory, std::size_t at) {
                return resident[at] = !state_.part(evicted, at) || memory.about(state_.part(evicted, at)).resident;
            },
            [&](auto& memory, std::size_t at) {
                return resident[at] ? failure{} : detail::reason_of(memory.load(state_.part(evicted, at)));
            },
            [&](auto& memory, std::size_t at) {
                if (!resident[at]) memory.evict(state_.part(evicted, at));
            });
        state_.catch_up();
        if (failed.why.reason != error::none) return blame(failed.at, failed.why);
        return done{};
    }
    /// Evicts a program from all memories, once its runs are over; its handle stays valid.
    constexpr set_result<done> evict(set_program victim) {
        return on_parts(victim, [](auto& memory, program part) { static_cast<void>(memory.evict(part)); });
    }
    /// Unloads a program from all memories, once its runs are over; its handle becomes stale.
    constexpr set_result<done> unload(set_program ended) {
        const auto outcome =
            on_parts(ended, [](auto& memory, program part) { static_cast<void>(memory.unload(part)); });
        if (outcome) state_.programs.end(ended);
        return outcome;
    }

    /// Runs a program in the memories of its parts, arguments and outputs, all or none. If it has no part in one of
    /// them, it gets one, of one quantum. Donation is decided memory by memory.
    /// Fails: like `manager::run`; `alias_of_other_size` also if an output and its partner differ in kind, and
    /// `donor_is_referenced` if adopted memory is donated and not kept, or is a partner.
    [[nodiscard]] constexpr set_result<set_run_result> run(set_program subject, const run_spec& spec) {
        if (const failure why = state_.check_run(subject, spec); why.reason != error::none) return set_failure{why};
        std::array<run_in_memory, count> runs{};
        const std::array<bool, count> uses = state_.memories_of(subject, spec);
        for (std::size_t at = 0; at < count; ++at) runs[at].is_new = !(runs[at].part = state_.part(subject, at));
        state_.intern_name(subject, uses);
        set_run_result total;
        total.outputs.resize(spec.outputs.size());
        total.donors.resize(spec.outputs.size(), no_index);
        const detail::joint_failure failed = joint_.make(
            count, visitor(), [&](const auto&, std::size_t at) { return !uses[at]; },
            [&](auto& memory, std::size_t at) {
                return uses[at] ? run_in(memory, at, subject, spec, runs[at], total) : failure{};
            },
            [&](auto& memory, std::size_t at) {
                if (!uses[at]) return;
                for (std::size_t fresh = 0; fresh < spec.outputs.size(); ++fresh)
                    if (spec.outputs[fresh].kind.number() == at) memory.free(total.outputs[fresh].held);
                if (runs[at].is_new)
                    memory.unload(runs[at].part);
                else if (runs[at].reloaded)
                    memory.evict(runs[at].part);
            });
        if (failed.why.reason != error::none) {
            state_.catch_up();
            return blame(failed.at, failed.why);
        }
        std::array<fence, count> over{};
        for (std::size_t at = 0; at < count; ++at) {
            if (!uses[at]) continue;
            state_.programs.part(subject, at, count) = runs[at].part;
            over[at] = runs[at].over;
            total.donated += runs[at].donated;
            total.reloaded += runs[at].reloaded ? 1u : 0u;
        }
        total.over = state_.begin_run(over, spec);
        state_.catch_up();
        return total;
    }

    // -- time --

    /// Marks a fence of the set as reached: the runs up to it are over in all memories, and their frees take effect.
    /// Fails: `unknown_fence` if the fence was not issued.
    constexpr set_result<done> retire(fence upto) {
        if (upto > issued()) return refuse(error::unknown_fence);
        state_.retire_first(upto <= state_.reached ? 0 : upto.number - state_.reached.number);
        return done{};
    }
    /// Marks all runs as over; all deferred frees take effect.
    constexpr void sync() {
        for (std::size_t at = 0; at < count; ++at) state_.visit(at, [](auto& memory) { memory.sync(); });
        state_.retire_first(state_.flights.size());
    }
    /// Return the fence of the latest run, and the latest fence that is reached.
    [[nodiscard]] constexpr fence issued() const noexcept { return state_.issued(); }
    [[nodiscard]] constexpr fence reached() const noexcept { return state_.reached; }

    // -- queries --

    /// Returns an error if the handle is invalid.
    [[nodiscard]] constexpr error check(set_buffer held) const noexcept { return state_.check(held); }
    [[nodiscard]] constexpr error check(set_program held) const noexcept {
        return state_.programs.check(held, state_.salt);
    }
    /// Returns the kind of a buffer.
    /// Requires: a handle of a set of these kinds; for another number, returns the first kind.
    [[nodiscard]] static constexpr kind kind_of(set_buffer held) noexcept {
        return kind::at(held.memory).value_or(kind());
    }
    /// Returns the present range of a buffer in the memory of its kind; empty if the handle is invalid.
    [[nodiscard]] constexpr extent where(set_buffer held) const noexcept {
        if (check(held) != error::none) return {};
        if (held.adopted) return state_.adopted.where(held.held);
        return state_.visit(held.memory, [&](const auto& memory) { return memory.where(held.held); });
    }
    /// Returns the granted bytes of a buffer; 0 if the handle is invalid.
    [[nodiscard]] constexpr std::uint64_t granted(set_buffer held) const noexcept {
        if (check(held) != error::none) return 0;
        if (held.adopted) return state_.adopted.where(held.held).size;
        return state_.visit(held.memory, [&](const auto& memory) { return memory.granted(held.held); });
    }
    /// Returns the part of a program in the memory of a kind; empty if it has none there, or the handle is invalid.
    [[nodiscard]] constexpr program part(set_program held, kind where) const noexcept {
        return check(held) == error::none ? state_.part(held, where.number()) : program{};
    }

    /// Returns the manager of a kind, for queries and calls in that memory alone. A buffer that is freed there is stale
    /// for the set; a program unloaded there no longer loads or runs. Runs over there are noted by the set's next call.
    template <fixed_string Kind>
    [[nodiscard]] constexpr const auto& memory() const noexcept {
        return std::get<number_of<Kind>()>(state_.memories);
    }
    template <fixed_string Kind>
    [[nodiscard]] constexpr auto& memory() noexcept {
        return std::get<number_of<Kind>()>(state_.memories);
    }
    /// Returns `act(manager)` for the manager of a kind that is known at run time. Its result has one type for all.
    template <class Act>
    constexpr auto visit(kind where, Act act) const {
        return state_.visit(where.number(), act);
    }
    template <class Act>
    constexpr auto visit(kind where, Act act) {
        return state_.visit(where.number(), act);
    }
    /// Returns the name of the buffer or program of a failure, or "".
    [[nodiscard]] constexpr const char* name_of(const set_failure& failed) const noexcept {
        const std::optional<kind> where = kind::named(failed.kind);
        if (!where) return "";
        return visit(*where, [&](const auto& memory) { return memory.name_of(failed.why.label); });
    }

    /// Returns the set without devices, observers and owners, to ask "what if".
    /// Cost: O(blocks + programs).
    [[nodiscard]] constexpr forked fork() const {
        forked copy;
        copy.state_ = state_.fork();
        copy.spill_ = spill_;
        return copy;
    }

    friend constexpr bool operator==(const memory_set& a, const memory_set& b) {
        return a.state_ == b.state_ && a.spill_ == b.spill_;
    }

private:
    template <class, class...>
    friend class memory_set;

    struct run_in_memory {
        program part;
        bool is_new = false;  // the program gets a part for this run
        fence over;
        std::uint32_t donated = 0;
        bool reloaded = false;
    };

    template <std::size_t... At>
    constexpr void construct(const memory_spec (&specs)[count], const options& given, std::uint32_t in_flight,
                             std::index_sequence<At...>) {
        const auto construct_one = [&](auto& memory, memory_spec spec, auto policies, std::size_t at) {
            spec.runs_in_flight = in_flight;
            if (!policies.salt) policies.salt = call_site{state_.salt}.salted(at);
            memory = std::remove_reference_t<decltype(memory)>(spec, policies);
        };
        (construct_one(std::get<At>(state_.memories), specs[At], std::get<At>(given.memories), At), ...);
    }

    [[nodiscard]] constexpr auto visitor() {
        return [this](std::size_t number, auto act) { return state_.visit(number, act); };
    }
    template <fixed_string Kind>
    [[nodiscard]] static consteval std::size_t number_of() noexcept {
        static_assert(kind::named(Kind.c_str()).has_value(), "the memory_set has no memory of this kind");
        return kind::named(Kind.c_str())->number();
    }

    [[nodiscard]] static constexpr set_failure blame(std::size_t number, const failure& why) noexcept {
        return {why, kind::at(number).value_or(kind()).name()};
    }
    [[nodiscard]] static constexpr set_failure refuse(error why) noexcept { return {{.reason = why}}; }

    // -- parts of calls --

    constexpr void intern(std::size_t number, const char* name) {
        state_.visit(number, [&](auto& memory) { static_cast<void>(memory.tag_for_call(name)); });
    }
    constexpr set_result<set_buffer> place(std::size_t number, request wanted, const char* label) {
        const result<buffer> placed = state_.visit(number, [&](auto& memory) {
            wanted.label = memory.tag_for_call(label);
            return memory.allocate(wanted);
        });
        state_.catch_up();
        if (!placed) return blame(number, placed.error());
        return set_buffer{*placed, static_cast<std::uint8_t>(number), false};
    }

    /// Returns the number of the memory that the spill policy chooses.
    [[gnu::cold]] constexpr std::size_t choose_memory(std::size_t wanted, request requested, const char* label) {
        if (state_.visit(wanted,
                         [&](const auto& memory) { return detail::surely_fits(memory, requested.bytes, requested); }))
            return wanted;
        std::array<spill_place, count> places{};
        for (std::size_t at = wanted; at < count; ++at)
            places[at - wanted] = {kind::at(at)->name(), requested.bytes, state_.visit(at, [&](auto& memory) {
                                       requested.label = memory.tag_for_call(label);
                                       return price_in(memory, requested);
                                   })};
        const std::span<const spill_place> open(places.data(), count - wanted);
        const std::size_t chosen = spill_.choose(open);
        return chosen < open.size() && open[chosen].has_room() ? wanted + chosen : wanted;
    }
    template <class Memory>
    [[nodiscard]] static constexpr std::uint64_t price_in(const Memory& memory, const request& wanted) {
        if (detail::surely_fits(memory, wanted.bytes, wanted)) return 0;
        const planning_result planned = memory.plan_for(wanted);
        return planned.found ? planned.found->nanoseconds : spill_place::no_room;
    }

    /// Makes a call on a buffer in its memory; without effect on adopted memory.
    template <class Act>
    constexpr set_result<done> on_buffer(set_buffer held, Act act) {
        if (const error why = check(held); why != error::none) return refuse(why);
        if (held.adopted) return done{};
        const failure why = state_.visit(held.memory, [&](auto& memory) { return detail::reason_of(act(memory)); });
        if (why.reason != error::none) return blame(held.memory, why);
        return done{};
    }

    template <class Act>
    constexpr set_result<done> on_parts(set_program held, Act act) {
        if (const error why = check(held); why != error::none) return refuse(why);
        for (std::size_t at = 0; at < count; ++at)
            if (const program part = state_.part(held, at)) state_.visit(at, [&](auto& memory) { act(memory, part); });
        state_.catch_up();
        return done{};
    }

    template <class Memory>
    static constexpr failure load_in(Memory& memory, const hbm::program_spec& spec, program& loaded) {
        const result<program> outcome = memory.load(spec);
        if (outcome) loaded = *outcome;
        return detail::reason_of(outcome);
    }

    // -- runs --

    /// Makes the part of a run that lies in one memory.
    /// Fails: without effect; indices of the failure are those of the call.
    template <class Memory>
    constexpr failure run_in(Memory& memory, std::size_t number, set_program subject, const run_spec& spec,
                             run_in_memory& ran, set_run_result& total) {
        if (ran.is_new)
            if (const failure why = load_in(memory, {.name = state_.name_of(subject)}, ran.part);
                why.reason != error::none)
                return why;
        const result<run_result> outcome = memory.run(ran.part, bound_.bind(number, spec));
        if (!outcome) {
            if (ran.is_new) memory.unload(ran.part);
            return bound_.located(outcome.error());
        }
        bound_.enter(*outcome, number, total);
        ran.over = outcome->over;
        ran.donated = outcome->donated;
        ran.reloaded = outcome->reloaded;
        return {};
    }

    detail::set_state<typename Memories::manager_type...> state_;
    [[no_unique_address]] Spill spill_{};

    // Used within a call only; members, so that their memory is allocated once.
    detail::joint_call joint_;
    detail::bound_run bound_;
};

}  // namespace hbm::inline v0
