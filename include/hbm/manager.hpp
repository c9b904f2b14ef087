#pragma once

#include <hbm/core/call_site.hpp>
#include <hbm/core/label_text.hpp>
#include <hbm/core/result.hpp>
#include <hbm/device/device.hpp>
#include <hbm/donation/donation.hpp>
#include <hbm/events/events.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/fwd.hpp>
#include <hbm/manager/bound_policies.hpp>
#include <hbm/manager/options.hpp>
#include <hbm/manager/planning_transaction.hpp>
#include <hbm/manager/policy_order.hpp>
#include <hbm/manager/runs.hpp>
#include <hbm/manager/waiting_transaction.hpp>
#include <hbm/planning/relief.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>

namespace hbm::inline v0 {

struct compaction;  // in compact.hpp

/// A memory manager made of policies: a request becomes a need, the placement finds a hole for it; if there is none,
/// waits, moves and evictions are planned for all needs of the call, and make room. Sizes are in bytes and rounded up
/// to the quantum. A regular value: copies honour each other's handles, and `==` compares all blocks, handles and
/// counts; a moved-from manager manages nothing. With a device that has bytes it is move-only; see `copy()`.
/// A failed call changes nothing, unless a device fails to copy, which its result names.
/// A manager does not wait for the device. If a call has to, it declares runs over with `event_kind::reached` and uses
/// their memory: an observer blocks there, or the caller first asks `awaited_fence` and blocks outside of its locks.
/// An exception of an observer or device leaves the call once that is complete.
/// Requires: an observer or device calls only queries and `fork` of its manager; other calls terminate with a message.
/// Cost: that of the placement, unless relief is needed.
template <class Placement, class Eviction, class Donation, class Relief, class Device, class Events>
class manager {
    static_assert(detail::check_policy_order<detail::kind_of<Placement>(), detail::kind_of<Eviction>(),
                                             detail::kind_of<Donation>(), detail::kind_of<Relief>(),
                                             detail::kind_of<Device>(), detail::kind_of<Events>()>());
    static_assert(check_placement<Placement>() && check_eviction<Eviction>() && check_donation<Donation>() &&
                  check_relief<Relief>() && check_device<Device>() && check_observer<Events>());
    static_assert(!hears_wrongly<Events, memory_view<typename Placement::quanta>>,
                  "on is near but not right: void on(const hbm::event&), or with const auto& memory after it");
    static_assert(!copies<Device> || !compacts<Placement> || stretches<Placement>,
                  "where real bytes move, a copy may fail in the middle of a move: the placement lets a block occupy "
                  "both places meanwhile with bool stretch(block_index, basic_extent<quanta>)");

    /// True if anything but waiting can make room, or a move can be pending. Otherwise planning is not compiled in.
    static constexpr bool plans =
        compacts<Placement> || (chooses_plans<Relief> && evicts<Eviction>) || (copies<Device> && relocates<Placement>);

public:
    using quanta = typename Placement::quanta;
    using placement_type = Placement;
    using options = manager_options<Eviction, Donation, Relief, Device, Events>;
    /// A fork: this manager without device and observer.
    using forked = manager<Placement, Eviction, Donation, Relief, no_device, no_events>;

    /// Names of the type as a user would write it, and without trailing null policies.
    static constexpr auto full_name = [] {
        constexpr auto three =
            Placement::name + fixed_string{"/"} + Eviction::name + fixed_string{"/"} + Donation::name;
        if constexpr (std::same_as<Relief, relieve_cheapest>)
            return three;
        else
            return three + fixed_string{"/"} + Relief::name;
    }();
    static constexpr auto name = [] {
        if constexpr (donates<Donation> || !std::same_as<Relief, relieve_cheapest>)
            return full_name;
        else if constexpr (evicts<Eviction>)
            return Placement::name + fixed_string{"/"} + Eviction::name;
        else
            return Placement::name;
    }();

    /// Constructs a manager of no bytes: every request fails.
    constexpr manager() : manager(memory_spec{}, {}, {}) {}

    /// Manages the memory of `spec`, with policies, device and observer of `given`. The observer's `look_at` is called.
    /// Fails: see `unusable`; then every request fails.
    [[gnu::cold, gnu::noinline]] constexpr explicit manager(const memory_spec& spec, const options& given = {},
                                                            call_site site = call_site::here())
        : state_(managed_quanta(spec)), unusable_(why_unusable(spec)), eviction_(given.eviction),
          donation_(given.donation), relief_(given.relief), device_(given.device), events_(given.events) {
        state_.salt =
            given.salt ? *given.salt : site.salted(spec.capacity, spec.quantum, spec.top_reserved, spec.bounce);
        if (unusable_ == error::none) state_.describe(spec);
        show_to_observer();
    }

    template <class = void>
    manager(const memory_spec&, const detail::unknown_options&) = delete;  // name the policy in the manager's type
    template <std::integral Bytes>
    explicit manager(Bytes) = delete;  // memory is described by a memory_spec: {.capacity = bytes}

    /// Returns the error of the spec, with which every request fails, or `error::none`. `bad_quantum`, `top_too_large`,
    /// `bounce_too_large`, or `too_many_quanta`: use a placement with quanta of 64 bits.
    [[nodiscard]] constexpr error unusable() const noexcept { return unusable_; }

    /// Returns a copy, the device's bytes included.
    /// Cost: O(blocks + programs), and the bytes.
    [[nodiscard]] constexpr manager copy() const {
        manager result;
        copy_memory_to(result);
        result.refused_ = refused_;
        result.budget_ = budget_;
        result.device() = device();
        result.events_ = events_;
        return result;
    }

    /// Returns a spec of the largest capacity that the placement takes.
    [[nodiscard]] static constexpr memory_spec unlimited(std::uint64_t quantum = default_quantum) noexcept {
        memory_spec spec{.name = "unlimited", .quantum = quantum};
        if (quantum == 0) return spec;
        const std::uint64_t most = ~std::uint64_t{0} / quantum;
        const std::uint64_t capacity = Placement::unlimited;
        spec.capacity = quantum * (capacity <= most                ? capacity
                                   : std::has_single_bit(capacity) ? std::bit_floor(most)
                                                                   : most);
        return spec;
    }

    // -- buffers --

    /// Allocates a buffer. If there is no room, programs may be evicted and other buffers may move.
    /// `where` returns the present range of a buffer; observers receive `event_kind::moved`. Pinned buffers and buffers
    /// in use never move; without `compacting` nothing moves but by `relieve`.
    [[nodiscard]] constexpr result<buffer> allocate(const request& request) {
        // A plain request goes to the placement at once. Alignment and a preferred end have to be checked first, and
        // that is left to the slow path, so that this one stays short enough to be inlined.
        calling_.require_outside();
        if (request.alignment > 1 || request.preferred == side::high) return place_slow(request);
        const block_index block = place_fast(request.bytes, request.expected);
        if (block == no_block) [[unlikely]]
            return place_slow(request);
        return begin_buffer(block, request.label);
    }
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes) {
        calling_.require_outside();
        const block_index block = place_fast(bytes, lifetime::unknown);
        if (block == no_block) [[unlikely]]
            return place_slow(request{.bytes = bytes});
        return begin_buffer(block);
    }
    /// Allocates a buffer with a name; see `name_of`.
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes, const char* label) {
        return allocate(request{.bytes = bytes, .label = tag_for_call(label)});
    }

    /// Allocates a buffer of a signed size.
    /// Fails: `negative_size` below zero.
    template <std::signed_integral Int>
    [[nodiscard]] constexpr result<buffer> allocate(Int bytes, const char* label = nullptr) {
        if (bytes < 0) [[unlikely]]
            return refuse(error::negative_size, 0, tag_for_call(label));
        return label == nullptr ? allocate(static_cast<std::uint64_t>(bytes))
                                : allocate(static_cast<std::uint64_t>(bytes), label);
    }

    /// Allocates a buffer with a name that is a std::string, a std::string_view, or like them.
    template <std::integral Int, detail::label_text Text>
    [[nodiscard]] constexpr result<buffer> allocate(Int bytes, const Text& label) {
        return detail::with_c_str(label, [&](const char* text) { return allocate(bytes, text); });
    }

    template <std::floating_point Float>
    result<buffer> allocate(Float bytes, const char* label = nullptr) = delete;  // sizes are whole numbers of bytes

    /// Takes over a given range as a buffer with one pin: it is held from outside.
    /// Requires: a placement that imports.
    /// Fails: `range_is_taken` if not all of it is free; `bad_alignment` if it is empty or not made of whole quanta.
    [[nodiscard]] constexpr result<buffer> import(extent where, tag label = tag::none) requires imports<Placement> {
        calling_.require_outside();
        error why = unusable_;
        if (why == error::none && (((where.offset | where.size) & (state_.spec.quantum - 1)) != 0 || where.size == 0))
            why = error::bad_alignment;
        if (why == error::none && (where.offset > capacity_bytes() || where.size > capacity_bytes() - where.offset))
            why = error::range_is_taken;
        const block_index block = why == error::none ? state_.blocks.occupy(state_.quanta_of(where)) : no_block;
        if (block == no_block) return refuse(why == error::none ? error::range_is_taken : why, where.size, label);
        map().pin(block);
        return begin_buffer(block, label);
    }

    /// Frees a buffer; its handles become stale. Memory in use by runs in flight returns when the last of them is over.
    /// Freeing overrides pins: memory of a pinned buffer returns when frees next take effect, at `retire`, `sync`, or
    /// before a request would fail. For a user that the manager cannot see, pass its fence to the other overload.
    constexpr result<done> free(buffer freed) {
        // One question covers the usual case: a live data block of this generation, without pins and holds. Everything
        // else, errors included, is told apart in the slow path.
        calling_.require_outside();
        const block_index block = freed.index;
        if (freed.salt != state_.salt || !map().is_plain(block, freed.generation)) [[unlikely]]
            return free_slow({block, freed.generation, freed.salt});  // a copy: `freed` stays in registers
        if constexpr (hears)
            with_executor([block](auto& moves) { moves.end_buffer(block); });
        else
            state_.release(block);
        return done{};
    }

    /// Frees a buffer that is in use elsewhere until a fence is reached; its memory returns no sooner.
    /// An interrupted move of it is abandoned: bytes in the bounce region are lost, both places stay until then.
    constexpr result<done> free(buffer freed, fence until) {
        // A fence that is reached already makes this an ordinary free. One that was never issued would never be
        // reached, and the memory never return.
        calling_.require_outside();
        if (const error why = check(freed); why != error::none) return failure{.reason = why};
        if (until > state_.issued) return failure{.reason = error::unknown_fence};
        if (state_.is_over(until)) return free(freed);
        with_executor([&](auto& moves) { moves.defer(freed.index, until); });
        return done{};
    }

    template <std::same_as<program> Held>
    result<done> free(Held) = delete;  // free is for buffers; programs end with unload

    /// Pins a buffer, like a reference from outside: it is not moved or donated until it is unpinned as often, or
    /// freed. At most 4,094 times. An interrupted move of it is finished first.
    /// Fails: `device_failed` if that move cannot be finished.
    /// Cost: O(1), and copies if a move is interrupted.
    constexpr result<done> pin(buffer pinned) {
        calling_.require_outside();
        if (const error why = check(pinned); why != error::none) return failure{.reason = why};
        if (map().pins(pinned.index) + 1 == block_map<quanta>::max_pins) return failure{.reason = error::too_many_pins};
        bool arrived = true;
        if (state_.is_moving(pinned.index))
            with_executor([&](auto& moves) {  // one, which keeps an exception until the call is complete
                arrived = moves.finish_moving();
                if (arrived) map().pin(pinned.index);
            });
        else
            map().pin(pinned.index);
        return arrived ? result<done>{done{}} : result<done>{failure{.reason = error::device_failed}};
    }
    /// Removes one pin.
    constexpr result<done> unpin(buffer pinned) {
        calling_.require_outside();
        if (const error why = check(pinned); why != error::none) return failure{.reason = why};
        if (map().pins(pinned.index) == 0) return failure{.reason = error::not_pinned};
        map().unpin(pinned.index);
        return done{};
    }
    /// Renames a buffer. Observers receive no event: `growth_by_tag` counts it under its old name until it ends.
    constexpr result<done> rename(buffer held, const char* label) {
        calling_.require_outside();
        if (const error why = check(held); why != error::none) return failure{.reason = why};
        map().set_tag(held.index, static_cast<std::uint32_t>(tag_for_call(label)));
        return done{};
    }

    // -- programs --

    /// Loads a program: reserves its scratch and places its code and constants, both or nothing.
    /// Cost: O(blocks + programs).
    [[nodiscard, gnu::cold]] constexpr result<program> load(const program_spec& spec) {
        const tag label = tag_for_call(spec.name);
        if (unusable_ != error::none) return refuse(unusable_, spec.code, label);
        policies calls = bind_policies();
        return detail::load_new<Placement, placing>(state_, calls, spec, label);
    }

    result<program> load(std::initializer_list<detail::no_member>) = delete;  // state the code: load({.code = bytes})

    /// Reloads an evicted or unloaded program. No effect if it is in memory.
    [[gnu::cold]] constexpr result<done> load(program evicted) {
        policies calls = bind_policies();
        if (const error why = check(evicted); why != error::none)
            return executor<Placement>(state_, calls).report_failure(why, {});
        if (state_.programs[evicted.index].resident) return done{};
        return detail::load_again<Placement, placing>(state_, calls, evicted.index);
    }

    /// Evicts a program by hand once its runs are over; its handle stays valid. No effect if it is not in memory.
    [[gnu::cold]] constexpr result<done> evict(program victim) {
        calling_.require_outside();
        if (const error why = check(victim); why != error::none) return failure{.reason = why};
        with_executor([&](auto& moves) {
            moves.wait_for_program(victim.index);
            if (state_.programs[victim.index].resident) moves.evict(victim.index);
        });
        return done{};
    }

    /// Unloads a program once its runs are over; its handles become stale.
    [[gnu::cold]] constexpr result<done> unload(program ended) { return end_program(ended, true); }

    template <std::same_as<buffer> Held>
    result<done> unload(Held) = delete;  // unload is for programs; buffers end with free

    /// Unloads a program once its runs are over, but keeps its handle: `run` and `load(program)` bring it back. Unlike
    /// `evict`, it counts neither as an eviction nor, later, as a reload; the program's uses restart.
    [[gnu::cold]] constexpr result<done> unload_for_now(program subject) { return end_program(subject, false); }

    // -- runs --

    /// Runs a program, and reloads it first if it was evicted; all or nothing.
    /// Outputs take over donated inputs, by partners or the donation policy, one by one; the others are allocated.
    /// Donors that no output took are freed. Then the run is in flight if the memory allows it; the oldest may end.
    /// Cost: O(arguments) and placing, for one fresh output or if one hole surely holds all; else O(blocks + programs).
    /// If runs end, also that of `retire`.
    [[nodiscard]] constexpr result<run_result> run(program subject, const run_spec& spec) {
        run_result ran;
        if (const result<done> outcome = run(subject, spec, ran); !outcome) return outcome.error();
        return ran;
    }
    /// Like `run(subject, spec)`, but reuses the lists of `ran`; it is unchanged if the run fails.
    constexpr result<done> run(program subject, run_spec spec, run_result& ran) {
        // In order: is the program one, are the arguments good, which donors become outputs, and only then memory. The
        // first three change nothing but scratch lists and names. A run that fails for want of room is kept for
        // explanations; one that is wrong in itself needs none.
        policies calls = bind_policies();
        failure why;
        bool bound = false;
        why.reason = check(subject);
        if (why.reason == error::none && detail::check_run(state_, names_, spec, bound, lists_, why) &&
            detail::match_donors(donation_, spec, bound, lists_, why)) {
            if (detail::prepared_run<Placement, placing>(state_, calls, lists_, subject.index, spec).run(ran, why))
                return done{};
            detail::keep_refused(refused_, why, subject, spec, state_.spec.quantum, lists_);
        }
        return executor<Placement>(state_, calls).report_failure(why.reason, why);
    }

    /// Returns by output the index of the donated input that it would take over, or `no_index`, in a run of any
    /// program. Empty if the arguments are invalid.
    /// Cost: O(arguments).
    [[nodiscard]] constexpr trivial_vector<std::uint32_t> donors_of(run_spec spec) {
        calling_.require_outside();
        failure why;
        bool bound = false;
        if (!detail::check_run(state_, names_, spec, bound, lists_, why) ||
            !detail::match_donors(donation_, spec, bound, lists_, why))
            return {};
        return lists_.donor_of_output;
    }

    /// Returns the latest run that found no room, for explanations.
    /// Not part of the value: equal managers may differ, and a fork has none.
    [[nodiscard]] constexpr const failed_run& refused() const noexcept { return refused_; }

    // -- time --

    /// Issues work that is no run, such as a transfer. Returns its fence, for `free` and `retire`. It holds nothing:
    /// pin its buffers. It is over before the work and runs that are issued later, at the latest when as many runs are
    /// in flight as the memory is for; of `max_in_flight` runs and works, the oldest ends.
    constexpr fence issue(const work_spec& work) {
        // The limit of runs in flight does not apply here: the next run applies it, to work as well. Only the limit of
        // the lists themselves ends the oldest flight at once.
        calling_.require_outside();
        ++state_.issued.number;
        state_.flights.push_back({.over = state_.issued, .nanoseconds = saturating_multiply(work.us, 1000)});
        const fence over = state_.issued;
        if (state_.flights.size() > max_in_flight)
            with_executor([&](auto& moves) { moves.wait_for(state_.flights[0].over); });
        return over;
    }

    /// Marks a fence as reached: the runs up to it are over, and their frees take effect.
    /// Cost: amortised O(holds that end + deferred frees).
    constexpr result<done> retire(fence upto) {
        calling_.require_outside();
        if (upto > state_.issued) return failure{.reason = error::unknown_fence};
        with_executor([&](auto& moves) { moves.reach(upto); });
        return done{};
    }
    /// Marks all runs as over; all deferred frees take effect.
    /// Cost: like `retire`.
    constexpr void sync() {
        with_executor([&](auto& moves) { moves.reach(state_.issued); });
    }

    // -- relief by hand --

    /// Returns the plan of relief to allocate a buffer, for `relieve`, and a lower bound of its cost. Changes nothing.
    /// No steps if it already fits; no plan if the relief policy has none, with a proof if there is one.
    /// Assumes that the pending move is finished. An observer or device calls it on a fork only.
    /// Cost: see `joint_search`.
    [[nodiscard]] constexpr planning_result plan_for(const request& request) const {
        call_part<quanta> part;
        if (unusable_ != error::none || to_need(request, state_.spec.quantum, part.required) != error::none)
            return {{}, infeasibility::wrong_call, ~std::uint64_t{0}};
        calling_.require_outside();
        if constexpr (plans) {
            const detail::bound_relief<Eviction, Relief> ways(eviction_, relief_, budget_);
            return call_planner<Placement>(state_, ways, no_index).plan_for({&part, 1});
        } else {
            return wait_planner<Placement>(state_, no_index).plan_for({&part, 1});
        }
    }

    /// Carries out a plan made for the present memory, after finishing the pending move. Its moves need a placement
    /// that can relocate; `compacting` is the permission to move without being told. Fails: without effect if a step is
    /// impossible, see `memory_state::check`; after some steps if the device fails.
    constexpr result<done> relieve(const plan& steps) {
        calling_.require_outside();
        error why = state_.check(steps);
        if (why == error::none)
            with_executor([&](auto& moves) {
                why = moves.carry_out(steps);
                if constexpr (learns_from_relief<Relief>)
                    if (why == error::none) relief_.relieved(steps);
            });
        if (why != error::none) return failure{.reason = why};
        return done{};
    }

    /// Finishes the interrupted move, if any. Relief does so first, and so do runs and pins of the block.
    /// Fails: `device_failed` if it is interrupted again.
    /// Cost: O(copies).
    constexpr result<done> finish_moves() {
        calling_.require_outside();
        bool good = true;
        if (state_.moving) with_executor([&](auto& moves) { good = moves.finish_moving(); });
        return good ? result<done>{done{}} : result<done>{failure{.reason = error::device_failed}};
    }

    /// Moves at most `budget` bytes to merge holes, for idle time; 0 only returns the bytes left. Blocks in use stay.
    /// Blocks are packed low, or high if the placement reserves, and jump over walls for longer holes.
    /// Calls with the same budget terminate; then the longest hole is not shorter, and holes are not more, than before.
    /// A block longer than the budget slides over several calls, and is in two places in between: see `pieces`.
    /// Cost: O(blocks log(blocks)) for each jump over a wall, O(blocks) for each size above the budget, O(blocks^2) if
    /// alignment leaves gaps; for each move the blocks between its two places; and the copies.
    constexpr compaction compact(std::uint64_t budget) requires compacts<Placement>;  // in compact.hpp

    /// Extends the memory at its top to `bytes` usable bytes (`capacity_bytes`), rounded down to the quantum; the
    /// reserve at the top follows them. Handles stay valid.
    /// Fails: returns false, without effect, if that is not larger or too large, or bytes are in the bounce region.
    /// Cost: O(blocks).
    constexpr bool extend(std::uint64_t bytes) requires requires(Placement p) { p.extend(quanta{}); }
    {
        // The bounce region lies above the managed bytes and moves with the top. Bytes of an interrupted move that are
        // there would be lost, so such a memory is not extended.
        calling_.require_outside();
        if (unusable_ != error::none || bytes >> state_.shift() > std::numeric_limits<quanta>::max()) return false;
        if (state_.moving.bounced != 0 || bytes > ~std::uint64_t{0} - state_.spec.top_reserved) return false;
        if (!state_.blocks.extend(state_.in_quanta(bytes))) return false;
        state_.spec.capacity = state_.bytes(map().capacity()) + state_.spec.top_reserved;
        show_to_observer();
        return true;
    }

    /// Begins a program that makes the requests of `plan`; see `scheduled<P>::follow`.
    template <class Plan>
    constexpr bool follow(const Plan& plan) requires requires(Placement p) {
        p.follow(plan);
    }
    {
        calling_.require_outside();
        return state_.blocks.follow(plan);
    }
    template <class... Plan>
    bool follow(const Plan&...) = delete;  // only scheduled<P> follows a hbm::schedule

    // -- queries: see `memory_view` for results and costs --

    /// Returns a view for reports, valid until the next change.
    [[nodiscard]] constexpr memory_view<quanta> view() const noexcept {
        return {map(), state_, scratch_traits_of<Placement>(), names_};
    }
    [[nodiscard]] constexpr error check(buffer held) const noexcept { return view().check(held); }
    [[nodiscard]] constexpr error check(program held) const noexcept { return view().check(held); }
    [[nodiscard]] constexpr extent where(buffer held) const noexcept { return view().where(held); }
    [[nodiscard]] constexpr extent where(program held) const noexcept { return view().where(held); }
    [[nodiscard]] constexpr buffer_pieces pieces(buffer held) const noexcept { return view().pieces(held); }
    [[nodiscard]] constexpr const pending_move& moving() const noexcept { return state_.moving; }
    [[nodiscard]] constexpr std::uint64_t granted(buffer held) const noexcept { return view().granted(held); }
    [[nodiscard]] constexpr std::uint32_t pins(buffer held) const noexcept { return view().pins(held); }
    [[nodiscard]] constexpr const program_record& about(program held) const noexcept { return view().about(held); }
    [[nodiscard]] constexpr block_range<quanta> blocks() const noexcept { return view().blocks(); }
    [[nodiscard]] constexpr block_range<quanta> blocks_and_holes() const noexcept { return view().blocks_and_holes(); }
    [[nodiscard]] constexpr std::span<const program_record> programs() const noexcept { return view().programs(); }
    [[nodiscard]] constexpr program handle_of(std::uint32_t slot) const noexcept { return view().handle_of(slot); }
    [[nodiscard]] constexpr std::uint64_t capacity_bytes() const noexcept { return state_.bytes(map().capacity()); }
    [[nodiscard]] constexpr std::uint64_t free_bytes() const noexcept { return state_.bytes(map().free()); }
    [[nodiscard]] constexpr std::uint64_t live_bytes() const noexcept { return state_.bytes(map().live()); }
    [[nodiscard]] constexpr std::uint64_t peak_live_bytes() const noexcept { return state_.bytes(map().peak_live()); }
    [[nodiscard]] constexpr std::uint64_t highest_end_bytes() const noexcept { return view().highest_end_bytes(); }
    /// Returns the longest contiguous free run.
    /// Cost: that of the placement's `largest_free`.
    [[nodiscard]] constexpr std::uint64_t largest_free_bytes() const {
        return state_.bytes(state_.blocks.largest_free());
    }
    [[nodiscard]] constexpr std::uint64_t reserved_bytes() const noexcept { return state_.reserved_bytes(); }
    [[nodiscard]] constexpr std::uint64_t reservable_bytes() const noexcept { return state_.reservable_bytes(); }
    [[nodiscard]] constexpr std::span<const flight> flights() const noexcept { return view().flights(); }
    [[nodiscard]] constexpr fence issued() const noexcept { return state_.issued; }
    [[nodiscard]] constexpr fence reached() const noexcept { return state_.reached; }
    /// Returns the counts and costs of evictions, moves, donations and so on.
    [[nodiscard]] constexpr const totals& done_so_far() const noexcept { return state_.done; }
    /// Returns the spec of the memory.
    [[nodiscard]] constexpr const memory_spec& spec() const noexcept { return state_.spec; }
    /// Returns the state that a fork copies, without policies: blocks, programs, runs in flight.
    [[nodiscard]] constexpr const memory_state<Placement>& state() const noexcept { return state_; }
    /// Returns the device; to change it, see its own type.
    [[nodiscard]] constexpr const Device& device() const noexcept {
        if constexpr (copies<Device>)
            return device_.device;
        else
            return device_;
    }
    [[nodiscard]] constexpr Device& device() noexcept {
        if constexpr (copies<Device>)
            return device_.device;
        else
            return device_;
    }
    /// Returns the observer.
    [[nodiscard]] constexpr const Events& events() const noexcept { return events_; }
    [[nodiscard]] constexpr Events& events() noexcept { return events_; }

    /// Returns the tag of a name, for requests. The tag keeps its name.
    constexpr tag tag_of(const char* label) {
        const tag kept = names_.intern(label);
        names_.keep(kept);
        return kept;
    }
    template <detail::label_text Text>
    constexpr tag tag_of(const Text& label) {
        return detail::with_c_str(label, [&](const char* text) { return tag_of(text); });
    }
    /// Returns the tag of a name for the next call, as `allocate`, `load` and `run` do. The name is forgotten when no
    /// buffer or program has the tag and 1,024 other names are new.
    /// Cost: amortised O(length of the name).
    [[gnu::cold, gnu::noinline]] constexpr tag tag_for_call(const char* label) {
        const tag fresh = names_.intern(label);
        names_.forget_unused(state_);
        return fresh;
    }
    /// Returns the name of a tag, or "". Valid until `tag_of`, `tag_for_call`, `allocate`, `load`, `run`,
    /// `donors_of`, `rename` or assignment.
    [[nodiscard]] constexpr const char* name_of(tag label) const noexcept { return names_.name(label); }

    /// Reserves host memory for `blocks` live blocks and two thirds as many holes, and for `arguments`: those of the
    /// largest run and of all runs in flight, and deferred frees. If a hole may follow every block, pass a fifth more
    /// blocks (see `nodes_for`).
    /// Cost: 54 bytes a block under best fit and `good_fit`, 73 under `buddy`, 89 under `first_fit`; 90 an argument, 98
    /// with runs in flight.
    constexpr void reserve_metadata(std::size_t blocks, std::size_t arguments = 1024) {
        // A memory without runs in flight never fills the lists of holds and flights.
        calling_.require_outside();
        if constexpr (reserves_metadata<Placement>) state_.blocks.reserve_metadata(blocks);
        lists_.reserve(arguments);
        state_.deferred.reserve(arguments);
        if (state_.spec.runs_in_flight == 0) return;
        state_.held.reserve(arguments);
        state_.flights.reserve(max_in_flight + 1);
    }

    // -- the manager as a value --

    /// Returns a copy without device and observer, to ask "what if". Both honour the other's handles, but a handle of a
    /// buffer allocated after the fork may name another buffer there: never pass handles of a fork to the original.
    /// Cost: O(blocks + programs); names are shared until one of the two gets a new name.
    [[nodiscard]] constexpr forked fork() const {
        forked copy;
        copy_memory_to(copy);
        return copy;
    }

    /// Like `fork()`, but relief in the fork and its copies is limited to `budget`.
    /// Calls that need more planning fail as if there were no plan; other work is not counted.
    /// Requires: `budget` outlives the fork and its copies.
    [[nodiscard]] constexpr forked fork(search_budget& budget) const {
        forked copy = fork();
        copy.budget_ = &budget;
        return copy;
    }

    /// Returns a fork as a manager of type `Other` with the policies, device and observer of `given`; its salt stays.
    /// The observer's `look_at` is called.
    /// Requires: an equal placement, or exact fits that both reserve at the bottom, or both do not.
    /// Cost: O(blocks + programs).
    template <class Other>
    [[nodiscard]] constexpr Other under(const typename Other::options& given = {}) const {
        Other other;  // the observer must not see a memory of no bytes
        other.state_ = state_.template under<typename Other::placement_type>();
        other.names_ = names_;
        other.refused_ = refused_;
        other.unusable_ = unusable_;
        other.eviction_ = given.eviction;
        other.donation_ = given.donation;
        other.relief_ = given.relief;
        other.device() = given.device;
        other.events_ = given.events;
        other.show_to_observer();
        return other;
    }

    /// Names do not take part in comparison.
    friend constexpr bool operator==(const manager& a, const manager& b) {
        return a.state_ == b.state_ && a.eviction_ == b.eviction_ && a.donation_ == b.donation_ &&
               a.relief_ == b.relief_ && a.device() == b.device() && a.events_ == b.events_ &&
               a.unusable_ == b.unusable_;
    }

private:
    template <class, class, class, class, class, class>
    friend class manager;
    friend detail::starting<manager>;

    template <class Other>
    constexpr void copy_memory_to(Other& other) const {
        other.state_ = state_;
        other.names_ = names_;
        other.unusable_ = unusable_;
        other.eviction_ = eviction_;
        other.donation_ = donation_;
        other.relief_ = relief_;
    }

    using placing = std::conditional_t<plans, planning_transaction<Placement>, waiting_transaction<Placement>>;
    static constexpr bool hears = detail::hears<Events, quanta>;

    [[nodiscard, gnu::cold, gnu::noinline]] static constexpr error why_unusable(const memory_spec& spec) noexcept {
        if (!std::has_single_bit(spec.quantum)) return error::bad_quantum;
        if (spec.top_reserved > spec.capacity) return error::top_too_large;
        const std::uint64_t managed = spec.capacity - spec.top_reserved;
        if (spec.bounce > spec.top_reserved) return error::bounce_too_large;
        const bool counts = managed >> std::countr_zero(spec.quantum) <= std::numeric_limits<quanta>::max();
        return counts ? error::none : error::too_many_quanta;
    }
    /// Returns the quanta to manage; 0 if the spec is invalid.
    [[nodiscard, gnu::cold]] static constexpr quanta managed_quanta(const memory_spec& spec) noexcept {
        if (why_unusable(spec) != error::none) return 0;
        return static_cast<quanta>((spec.capacity - spec.top_reserved) >> std::countr_zero(spec.quantum));
    }

    /// Policies, device and observer, bound for the slow paths.
    using policies = detail::bound_policies<Placement, Eviction, Relief, Device, Events, plans>;
    [[nodiscard]] constexpr policies bind_policies() {
        calling_.require_outside();
        return policies(state_, names_, eviction_, relief_, device(), events_, budget_, calling_);
    }

    /// Calls `act` with an executor of this manager.
    template <class Act>
    [[gnu::noinline]] constexpr void with_executor(Act act) {
        policies calls = bind_policies();
        executor<Placement> moves(state_, calls);
        act(moves);
    }
    [[gnu::cold, gnu::noinline]] constexpr failure refuse(error why, std::uint64_t requested, tag label,
                                                          std::uint64_t alignment = 0) {
        policies calls = bind_policies();
        return executor<Placement>(state_, calls).refuse(why, requested, label, alignment);
    }

    [[nodiscard]] constexpr block_map<quanta>& map() noexcept { return state_.blocks.map(); }
    [[nodiscard]] constexpr const block_map<quanta>& map() const noexcept { return state_.blocks.map(); }

    /// Calls `look_at` of an observer that has it, after changes without an event.
    constexpr void show_to_observer() {
        if constexpr (looks_at<Events, memory_view<quanta>>) {
            const typename detail::callback_flag<policies::calls_out>::scope inside(calling_);
            const largest_free_of<Placement> largest(state_.blocks);
            events_.look_at(memory_view<quanta>(map(), state_, scratch_traits_of<Placement>(), names_, &largest));
        }
    }

    constexpr buffer begin_buffer(block_index block, tag label = tag::none) {
        if (label != tag::none) map().set_tag(block, static_cast<std::uint32_t>(label));
        if constexpr (hears) with_executor([&](auto& moves) { moves.report_block(event_kind::allocated, block); });
        return buffer::of(block, map().generation(block), state_.salt);
    }

    [[gnu::cold]] constexpr result<done> end_program(program ended, bool for_good) {
        calling_.require_outside();
        if (const error why = check(ended); why != error::none) return failure{.reason = why};
        policies calls = bind_policies();
        detail::unload(state_, calls, ended.index, for_good);
        return done{};
    }
    /// Slow path: frees a buffer that is pinned or in use, or returns the handle's error.
    [[gnu::cold, gnu::noinline]] constexpr result<done> free_slow(buffer freed) {
        if (const error why = check(freed); why != error::none) return failure{.reason = why};
        with_executor([&](auto& moves) { moves.defer(freed.index); });
        return done{};
    }
    /// Fast path: no alignment, no preferred end. Returns `no_block` if the slow path is needed.
    [[gnu::always_inline]] constexpr block_index place_fast(std::uint64_t bytes, lifetime expected) {
        // `bytes == 0` wraps around and fails the next check.
        const std::uint64_t last = (bytes - 1) >> state_.shift();
        if (last >= std::numeric_limits<quanta>::max()) [[unlikely]]
            return no_block;
        return state_.blocks.place({.length = static_cast<quanta>(last + 1), .expected = expected});
    }
    [[gnu::cold, gnu::noinline]] constexpr result<buffer> place_slow(const request& request) {
        call_part<quanta> part;
        const error why = unusable_ == error::none ? to_need(request, state_.spec.quantum, part.required) : unusable_;
        policies calls = bind_policies();
        executor<Placement> says(state_, calls);
        if (why != error::none) return says.refuse(why, request.bytes, request.label, request.alignment);
        part.required.expected = request.expected;
        part.block = detail::place_cold(state_.blocks, part.required);
        call_outcome outcome;
        if (part.block == no_block) outcome = placing(state_, calls, no_index).relieve({&part, 1});
        if (outcome.reason == error::none) {
            map().set_tag(part.block, static_cast<std::uint32_t>(request.label));
            if constexpr (hears) says.report_block(event_kind::allocated, part.block);
            return buffer::of(part.block, map().generation(part.block), state_.salt);
        }
        outcome.figures.requested = state_.bytes(part.required.length);
        outcome.figures.label = request.label;
        outcome.figures.alignment = request.alignment;
        return says.report_failure(outcome.reason, outcome.figures);
    }

    memory_state<Placement> state_;
    detail::run_lists<quanta> lists_;
    tag_names names_;
    failed_run refused_;
    error unusable_ = error::none;  // the error of every request
    [[no_unique_address]] detail::callback_flag<policies::calls_out> calling_;
    search_budget* budget_ = nullptr;  // of a fork that has one
    [[no_unique_address]] Eviction eviction_;
    [[no_unique_address]] Donation donation_;
    [[no_unique_address]] Relief relief_;
    [[no_unique_address]] std::conditional_t<copies<Device>, detail::device_with_bytes<Device>, Device> device_;
    [[no_unique_address]] Events events_;
};

}  // namespace hbm::inline v0
