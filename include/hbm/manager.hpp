#pragma once

/// The memory manager. Its story: a request becomes a need, the placement finds it a place; where there is none, all
/// needs of the call are planned together, and waits, moves and evictions make room; and whatever happened is reported.

#include <hbm/core/call_site.hpp>
#include <hbm/device/device.hpp>
#include <hbm/device/no_device.hpp>
#include <hbm/donation/never_donate.hpp>
#include <hbm/events/no_events.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/fwd.hpp>
#include <hbm/manager/bound_policies.hpp>
#include <hbm/manager/compact.hpp>
#include <hbm/manager/options.hpp>
#include <hbm/manager/planning_transaction.hpp>
#include <hbm/manager/policy_order.hpp>
#include <hbm/manager/runs.hpp>
#include <hbm/manager/waiting_transaction.hpp>
#include <hbm/relief/relieve_cheapest.hpp>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

namespace hbm {

/// A memory manager made of policies. Sizes are in bytes and rounded up to the quantum; costs of the calls are those of
/// the placement unless relief is needed. A regular value: copies honour each other's handles, `==` means that every
/// block, handle and count is the same; a manager that was moved from manages nothing, like one made by default. (With
/// a device that has bytes it is moved only, and `copy()` has to be asked for.) A call that fails leaves everything as
/// it was, with one exception that its result names: a device that fails to copy. Requires: an observer or device calls
/// nothing of its manager but what looks and `fork`; another call ends the program with a message. An exception of an
/// observer or device leaves the manager's call once that is complete.
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

    /// Whether anything but waiting can make room, or a move can be pending. What cannot is not compiled in.
    static constexpr bool plans = (chooses_plans<Relief> && (compacts<Placement> || evicts<Eviction>)) ||
                                  (copies<Device> && relocates<Placement>);

public:
    using quanta = typename Placement::quanta;
    using placement_type = Placement;
    using relief_type = Relief;
    /// What it is made with besides its memory.
    using options = manager_options<Eviction, Donation, Relief, Device, Events>;
    /// The same manager without device and observer.
    using forked = manager<Placement, Eviction, Donation, Relief, no_device, no_events>;

    /// The type as a user would write it, and the same with trailing null policies dropped.
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

    /// Manages nothing; every request fails.
    constexpr manager() : manager(memory_spec{}, {}, {}) {}

    /// Manages the memory that `spec` describes, with policies, device and observer of `given`. If the spec
    /// cannot be used, `unusable` says why, and every request fails for that reason. An observer that can look at a
    /// memory is shown this one.
    [[gnu::cold, gnu::noinline]] constexpr explicit manager(const memory_spec& spec, const options& given = {},
                                                            call_site made = call_site::here())
        : state_(managed_quanta(spec)), unusable_(why_unusable(spec)), eviction_(given.eviction),
          donation_(given.donation), relief_(given.relief), device_(given.device), events_(given.events) {
        state_.salt =
            given.salt ? *given.salt : made.salted(spec.capacity, spec.quantum, spec.top_reserved, spec.bounce);
        if (unusable_ == error::none) state_.describe(spec);
        show_to_observer();
    }

    template <std::integral Bytes>
    explicit manager(Bytes) = delete;  // a manager is made from a memory_spec: {.capacity = bytes}

    /// Why every request fails, or `error::none`: `bad_quantum`, `top_too_large`, `bounce_too_large`, or, where the
    /// capacity has more quanta than the placement can count, `too_many_quanta`: take a placement with quanta of 64
    /// bits then. O(1).
    [[nodiscard]] constexpr error unusable() const noexcept { return unusable_; }

    /// A copy of all, the device's bytes included. O(blocks + programs), and the bytes.
    [[nodiscard]] constexpr manager copy() const {
        manager made;
        copy_memory_to(made);
        made.refused_ = refused_;
        made.device() = device();
        made.events_ = events_;
        return made;
    }

    /// A memory whose space above the last block never runs out: the largest capacity that the placement takes.
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

    /// Allocates a buffer. Where nothing fits, programs may be evicted for it, and other buffers may move: `where` says
    /// where a buffer is now, and an observer hears `event_kind::moved` for each that moved (see events.hpp). Nothing
    /// moves that is pinned or in use, and nothing at all under a placement without `compacting`.
    [[nodiscard]] constexpr result<buffer> allocate(const request& asked) {
        calling_.require_outside();
        if (asked.alignment > 1 || asked.preferred == side::high) return place_with_care(asked);
        const lifetime expected = expected_under(state_.blocks, asked.expected, asked.label);
        const block_index block = place_plainly(asked.bytes, expected);
        if (block == no_block) [[unlikely]]
            return place_with_care(asked);
        return begin_buffer(block, asked.label);
    }
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes) {
        calling_.require_outside();
        const block_index block = place_plainly(bytes, expected_under(state_.blocks, lifetime::unknown, tag::none));
        if (block == no_block) [[unlikely]]
            return place_with_care(request{.bytes = bytes});
        return begin_buffer(block, tag::none);
    }
    /// The same with a name for people; see `name_of`.
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes, const char* label) {
        return allocate(request{.bytes = bytes, .label = names_.intern(label)});
    }

    /// The same where sizes are signed: one below zero is `negative_size`.
    template <std::signed_integral Int>
    [[nodiscard]] constexpr result<buffer> allocate(Int bytes, const char* label = nullptr) {
        if (bytes < 0) [[unlikely]]
            return refuse(error::negative_size, 0, names_.intern(label));
        return label == nullptr ? allocate(static_cast<std::uint64_t>(bytes))
                                : allocate(static_cast<std::uint64_t>(bytes), label);
    }

    template <std::floating_point Float>
    result<buffer> allocate(Float bytes, const char* label = nullptr) = delete;  // a size is a whole number of bytes

    /// Takes a given range over as a buffer that is pinned once: it is held from outside. `range_is_taken` if not all
    /// of it is free, `bad_alignment` if it is empty or not made of whole quanta. Needs a placement that imports.
    [[nodiscard]] constexpr result<buffer> import(extent where, tag label = tag::none) requires imports<Placement> {
        calling_.require_outside();
        error why = unusable_;
        if (why == error::none && (((where.offset | where.size) & (state_.spec.quantum - 1)) != 0 || where.size == 0))
            why = error::bad_alignment;
        const std::uint64_t capacity = capacity_bytes();
        if (why == error::none && (where.offset > capacity || where.size > capacity - where.offset))
            why = error::range_is_taken;
        block_index block = no_block;
        if (why == error::none) {
            block = state_.blocks.occupy({state_.in_quanta(where.offset), state_.in_quanta(where.size)});
            if (block == no_block) why = error::range_is_taken;
        }
        if (why != error::none) return refuse(why, where.size, label);
        map().pin(block);
        return begin_buffer(block, label);
    }

    /// Frees a buffer; its handles go stale. The memory of a buffer that runs in flight use returns when the last of
    /// them is over. Freeing overrides pins: the memory of a pinned buffer returns when frees next take effect, at
    /// `retire`, `sync`, or before a request would fail, although nobody unpinned it; who still uses it frees it as of
    /// a fence.
    constexpr result<done> free(buffer freed) {
        calling_.require_outside();
        const block_index block = freed.index;
        if (freed.salt != state_.salt || !map().is_plain(block, freed.generation)) [[unlikely]]
            return free_with_care(freed);
        if constexpr (hears) {
            with_executor([block](auto& moves) { moves.end_buffer(block); });
        } else {
            state_.release(block);
        }
        return done{};
    }

    /// The same for a buffer that somebody else uses until a fence is reached: its memory returns no sooner. A move of
    /// it that has stopped in the middle is given up: both places stay as they are until then, but not what is in the
    /// bounce region.
    constexpr result<done> free(buffer freed, fence until) {
        calling_.require_outside();
        if (const error why = check(freed); why != error::none) return failure{.reason = why};
        if (until > state_.issued) return failure{.reason = error::unknown_fence};
        if (until <= state_.reached) return free(freed);
        with_executor([&](auto& moves) { moves.defer(freed.index, until); });
        return done{};
    }

    template <std::same_as<program> Held>
    result<done> free(Held) = delete;  // free is for buffers: a program ends with unload

    /// Pins a buffer, as a reference from outside does: it is a wall and cannot be donated until it has been unpinned
    /// as often, 4,094 times at most, or freed: `free` does not wait for it to be unpinned. A move of it that has
    /// stopped in the middle is finished first: `device_failed` if it cannot be.
    constexpr result<done> pin(buffer pinned) {
        calling_.require_outside();
        if (const error why = check(pinned); why != error::none) return failure{.reason = why};
        if (map().pins(pinned.index) + 1 == block_map<quanta>::max_pins) return failure{.reason = error::too_many_pins};
        if (!state_.is_moving(pinned.index)) return map().pin(pinned.index), done{};
        bool good = true;
        with_executor([&](auto& moves) {
            good = moves.finish_moving();
            if (good) map().pin(pinned.index);
        });
        return good ? result<done>{done{}} : result<done>{failure{.reason = error::device_failed}};
    }
    /// Takes one pin back.
    constexpr result<done> unpin(buffer pinned) {
        calling_.require_outside();
        if (const error why = check(pinned); why != error::none) return failure{.reason = why};
        if (map().pins(pinned.index) == 0) return failure{.reason = error::not_pinned};
        map().unpin(pinned.index);
        return done{};
    }

    // -- programs --

    /// Loads a program: reserves its scratch and places its code and constants, both or nothing. O(blocks + programs).
    [[nodiscard, gnu::cold]] constexpr result<program> load(const program_spec& spec) {
        const tag label = names_.intern(spec.name);
        if (unusable_ != error::none) return refuse(unusable_, spec.code, label);
        policies calls = bind_policies();
        return detail::load_new<Placement, placing>(state_, calls, spec, label);
    }

    /// Brings an evicted or unloaded program back; nothing to do for a program that is in memory.
    [[gnu::cold]] constexpr result<done> load(program evicted) {
        policies calls = bind_policies();
        if (const error why = check(evicted); why != error::none)
            return executor<Placement>(state_, calls).report_failure(why, {});
        if (state_.programs[evicted.index].resident) return done{};
        return detail::load_again<Placement, placing>(state_, calls, evicted.index);
    }

    /// Evicts a program by hand once its runs are over; its handle stays good. Nothing to do for a program that is not
    /// in memory.
    [[gnu::cold]] constexpr result<done> evict(program victim) {
        if (const error why = check(victim); why != error::none) return failure{.reason = why};
        with_executor([&](auto& moves) {
            moves.wait_for_program(victim.index);
            if (state_.programs[victim.index].resident) moves.evict(victim.index);
        });
        return done{};
    }

    /// Ends a program once its runs are over; its handles go stale.
    [[gnu::cold]] constexpr result<done> unload(program ended) {
        if (const error why = check(ended); why != error::none) return failure{.reason = why};
        policies calls = bind_policies();
        detail::unload(state_, calls, ended.index, true);
        return done{};
    }

    template <std::same_as<buffer> Held>
    result<done> unload(Held) = delete;  // unload is for programs: a buffer ends with free

    /// Takes a program out of memory once its runs are over; its handle stays good, and `run` and `load(program)` bring
    /// it back. Unlike `evict` this is no relief: it counts as no eviction, tells the eviction policy nothing, and
    /// coming back is no reload; uses are counted anew. A program that was evicted before counts as unloaded from then
    /// on.
    [[gnu::cold]] constexpr result<done> unload_for_now(program subject) {
        if (const error why = check(subject); why != error::none) return failure{.reason = why};
        policies calls = bind_policies();
        detail::unload(state_, calls, subject.index, false);
        return done{};
    }

    // -- runs --

    /// Runs a program, which comes back first if it was evicted. Donated inputs are taken over by outputs, by their
    /// partners or as the donation policy says, output by output; the other outputs are allocated; donors that nobody
    /// took are freed. All or nothing. The run is in flight afterwards if the memory is one for runs in flight; the
    /// oldest run is over when there would be more than it is for. O(arguments), besides what placing costs, if at most
    /// one output needs fresh memory or one hole surely holds them all; otherwise O(blocks + programs).
    [[nodiscard]] constexpr result<run_result> run(program subject, const run_spec& spec) {
        run_result ran;
        if (const result<done> outcome = run(subject, spec, ran); !outcome) return outcome.error();
        return ran;
    }
    /// The same into the result of an earlier run, whose memory on the host is used again; as it was if the run fails.
    constexpr result<done> run(program subject, run_spec spec, run_result& ran) {
        policies calls = bind_policies();
        failure why;
        bool bound = false;
        why.reason = check(subject);
        if (why.reason == error::none && detail::check_run(state_, names_, spec, bound, lists_, why) &&
            detail::match_donors(donation_, spec, bound, lists_, why)) {
            if (detail::run_in_hand<Placement, placing>(state_, calls, lists_, subject.index, spec).run(ran, why))
                return done{};
            detail::keep_refused(refused_, why, subject, spec, state_.spec.quantum, lists_);
        }
        return executor<Placement>(state_, calls).report_failure(why.reason, why);
    }

    /// For each output of a run of any program which donated input it would take over, or `no_index`; empty when the
    /// arguments are not good. O(arguments).
    [[nodiscard]] constexpr trivial_vector<std::uint32_t> donors_of(run_spec spec) {
        calling_.require_outside();
        failure why;
        bool bound = false;
        if (!detail::check_run(state_, names_, spec, bound, lists_, why) ||
            !detail::match_donors(donation_, spec, bound, lists_, why))
            return {};
        return lists_.donor_of_output;
    }

    /// The latest run that found no room, for those who explain it. Its failure is no part of the memory: equal
    /// managers may have refused different runs, and a fork has refused none.
    [[nodiscard]] constexpr const failed_run& refused() const noexcept { return refused_; }

    // -- time --

    /// The device has reached a fence: the runs up to it are over, and frees that nothing stands against any more take
    /// effect. O(holds that end + deferred frees).
    constexpr result<done> retire(fence upto) {
        if (upto > state_.issued) return failure{.reason = error::unknown_fence};
        with_executor([&](auto& moves) { moves.reach(upto); });
        return done{};
    }
    /// All runs are over, all deferred frees take effect. Cost as above.
    constexpr void sync() { static_cast<void>(retire(state_.issued)); }

    // -- relief by hand --

    /// What relief would do so that a buffer can be allocated, with a lower bound of what that costs; no steps if it
    /// fits as it is, no plan if the relief policy has none, and then what is known of why. For `relieve`, to look at,
    /// or to drop: nothing is done. Once the pending move is finished, if there is one. See `joint_search` for the
    /// cost.
    [[nodiscard]] constexpr planning_result plan_for(const request& asked) const {
        call_part<quanta> part;
        if (unusable_ != error::none || to_need(asked, state_.spec.quantum, part.required) != error::none)
            return {{}, infeasibility::wrong_call, ~std::uint64_t{0}};
        // Planning tries on copies, but a transaction may also place.
        manager& self = const_cast<manager&>(*this);
        policies calls = self.bind_policies();
        return placing(self.state_, calls, no_index).plan_for({&part, 1});
    }

    /// Carries a plan out that was made for this memory as it is, or as it will be once the pending move is finished,
    /// which comes first. Where a step is impossible by now it says so, see `memory_state::check`, and does nothing;
    /// where the device fails, what came before has been done.
    constexpr result<done> relieve(const plan& steps) {
        if (const error why = state_.check(steps); why != error::none) return failure{.reason = why};
        bool good = true;
        with_executor([&](auto& moves) {
            good = moves.finish_moving();
            for (const step& next : steps.steps) good = good && moves.carry_out(next);
        });
        if (!good) return failure{.reason = error::device_failed};
        if constexpr (learns_from_relief<Relief>) relief_.relieved(steps);
        return done{};
    }

    /// Finishes the move that has stopped in the middle, if there is one; `device_failed` if it stops again. Relief
    /// does so before anything else, and so do a run that uses the block and a pin of it. O(copies).
    constexpr result<done> finish_moves() {
        bool good = true;
        if (state_.moving) with_executor([&](auto& moves) { good = moves.finish_moving(); });
        return good ? result<done>{done{}} : result<done>{failure{.reason = error::device_failed}};
    }

    /// Moves at most `budget` bytes towards as few and as long holes as the walls allow: what lies between two walls is
    /// packed to the low end, or, under a placement that reserves at the bottom, to the high end, and blocks jump over
    /// walls where that makes a longer hole. Made for idle time: what is in use stays, nothing is evicted or waited
    /// for, and between two calls everything else may be called. Each call that can moves something, unless the device
    /// fails; calls with the same budget come to an end; and the result says how much is left. When all is done, the
    /// longest hole is no shorter and holes are no more than before. If alignment leaves gaps, that holds after each
    /// call, unless a block is in two places: moves that are a loss one by one need a budget for all of them. A block
    /// that is longer than the budget slides in parts over several calls, and is in two places between them: see
    /// `pieces`. A budget of nothing asks how much there is to do. Only where blocks may move.
    /// Cost: O(blocks log(blocks)), and as much for each jump over a wall, O(blocks^2) if alignment leaves gaps; and
    /// the copies.
    constexpr compaction compact(std::uint64_t budget) requires compacts<Placement> {
        policies calls = bind_policies();
        return detail::budgeted_compaction<Placement>(state_, executor<Placement>(state_, calls)).run(budget);
    }

    /// Makes the memory longer at its top: `bytes`, rounded down to the quantum, are its capacity from then on. Handles
    /// stay good. False, and nothing done, if that is not more than it has or more than can be counted, or if bytes are
    /// stuck in the bounce region, which goes up with the top. O(blocks).
    constexpr bool extend(std::uint64_t bytes) requires requires(Placement p) { p.extend(quanta{}); }
    {
        calling_.require_outside();
        if (unusable_ != error::none || bytes >> state_.shift() > std::numeric_limits<quanta>::max()) return false;
        if (state_.moving.bounced != 0) return false;
        if (bytes > ~std::uint64_t{0} - state_.spec.top_reserved) return false;
        if (!state_.blocks.extend(state_.in_quanta(bytes))) return false;
        state_.spec.capacity = state_.bytes(map().capacity()) + state_.spec.top_reserved;
        show_to_observer();
        return true;
    }

    // -- looking: see `memory_view` for what each says and costs --

    /// The memory as reports see it. Ends with the next change.
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
    [[nodiscard]] constexpr std::span<const program_record> programs() const noexcept {
        return {state_.programs.data(), state_.programs.size()};
    }
    [[nodiscard]] constexpr program handle_of(std::uint32_t slot) const noexcept { return view().handle_of(slot); }
    [[nodiscard]] constexpr std::uint64_t capacity_bytes() const noexcept { return state_.bytes(map().capacity()); }
    [[nodiscard]] constexpr std::uint64_t free_bytes() const noexcept { return state_.bytes(map().free()); }
    [[nodiscard]] constexpr std::uint64_t live_bytes() const noexcept { return state_.bytes(map().live()); }
    [[nodiscard]] constexpr std::uint64_t peak_live_bytes() const noexcept { return state_.bytes(map().peak_live()); }
    [[nodiscard]] constexpr std::uint64_t highest_end_bytes() const noexcept { return view().highest_end_bytes(); }
    /// The longest contiguous free run. Cost of the placement's `largest_free`.
    [[nodiscard]] constexpr std::uint64_t largest_free_bytes() const {
        return state_.bytes(state_.blocks.largest_free());
    }
    [[nodiscard]] constexpr std::uint64_t reserved_bytes() const noexcept { return state_.reserved_bytes(); }
    [[nodiscard]] constexpr std::uint64_t reservable_bytes() const noexcept { return state_.reservable_bytes(); }
    [[nodiscard]] constexpr std::span<const flight> flights() const noexcept {
        return {state_.flights.data(), state_.flights.size()};
    }
    [[nodiscard]] constexpr fence issued() const noexcept { return state_.issued; }
    [[nodiscard]] constexpr fence reached() const noexcept { return state_.reached; }
    /// What was done so far: evictions, moves, donations and so on, and what they cost.
    [[nodiscard]] constexpr const totals& done_so_far() const noexcept { return state_.done; }
    /// What the memory was described as.
    [[nodiscard]] constexpr const memory_spec& spec() const noexcept { return state_.spec; }
    /// All that a fork copies but policies: blocks, programs, runs in flight.
    [[nodiscard]] constexpr const memory_state<Placement>& state() const noexcept { return state_; }
    /// The device; to change it, see its own type.
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
    /// The observer.
    [[nodiscard]] constexpr const Events& events() const noexcept { return events_; }
    [[nodiscard]] constexpr Events& events() noexcept { return events_; }

    /// The tag of a name, for requests.
    constexpr tag tag_of(const char* label) { return names_.intern(label); }
    /// The name of a tag; "" for one that no name has. Valid until the next new name: `tag_of`, `allocate`, `load`,
    /// `run` and assignment may end it.
    [[nodiscard]] constexpr const char* name_of(tag label) const noexcept { return names_.name(label); }

    /// Room for `blocks` live blocks and two thirds as many holes without asking the host again (see `nodes_for`; for
    /// as many holes as there can be, reserve a fifth more), and for that many arguments or outputs of a run, or of all
    /// runs in flight together, and frees that are deferred. 54 bytes a block under the best fits and `good_fit`, 73
    /// under `buddy`, 89 under `first_fit`; 88 an argument.
    constexpr void reserve_metadata(std::size_t blocks, std::size_t arguments = 1024) {
        calling_.require_outside();
        if constexpr (reserves_metadata<Placement>) state_.blocks.reserve_metadata(blocks);
        lists_.reserve(arguments);
        state_.deferred.reserve(arguments);
        if (state_.spec.runs_in_flight == 0) return;
        state_.held.reserve(arguments);
        state_.flights.reserve(max_in_flight + 1);
    }

    // -- the manager as a value --

    /// A copy without device and observer, to ask "what if". O(blocks + programs): names are shared until
    /// one of the two gets a new name. Each honours the handles of the
    /// other, also those of buffers that were allocated after the fork: such a handle may name another buffer there. So
    /// handles of a fork are never given to the original.
    [[nodiscard]] constexpr forked fork() const {
        forked copy;
        copy_memory_to(copy);
        return copy;
    }

    /// The same whose calls, and those of its copies, may take no more looks for relief than `budget` has, which
    /// outlives them: where planning takes more, they fail as if there were no plan. Other work is not counted.
    [[nodiscard]] constexpr forked fork(search_budget& budget) const {
        forked copy = fork();
        copy.budget_ = &budget;
        return copy;
    }

    /// The same memory under other policies, those of the manager type `Other`, whose placement is the same or can be
    /// made of it (among exact fits all can, if both reserve at the bottom or neither does), and whose way of relief is
    /// `relief_policy`; without device and observer, as a fork. O(blocks + programs).
    template <class Other>
    [[nodiscard]] constexpr Other under(const typename Other::relief_type& relief_policy = {}) const {
        Other other;
        other.relief_ = relief_policy;
        other.state_ = state_.template under<typename Other::placement_type>();
        other.names_ = names_;
        other.refused_ = refused_;
        other.unusable_ = unusable_;
        return other;
    }

    /// Names are words about the state, not part of it.
    friend constexpr bool operator==(const manager& a, const manager& b) {
        return a.state_ == b.state_ && a.eviction_ == b.eviction_ && a.donation_ == b.donation_ &&
               a.relief_ == b.relief_ && a.device() == b.device() && a.events_ == b.events_ &&
               a.unusable_ == b.unusable_;
    }

private:
    template <class, class, class, class, class, class>
    friend class manager;

    /// What a copy and a fork have in common: the memory and the policies.
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
    /// How much the placement manages; nothing where the spec cannot be used.
    [[nodiscard, gnu::cold]] static constexpr quanta managed_quanta(const memory_spec& spec) noexcept {
        if (why_unusable(spec) != error::none) return 0;
        return static_cast<quanta>((spec.capacity - spec.top_reserved) >> std::countr_zero(spec.quantum));
    }

    /// The policies, device and observer of this manager for what is seldom done.
    using policies = detail::bound_policies<Placement, Eviction, Relief, Device, Events, plans>;
    [[nodiscard]] constexpr policies bind_policies() {
        calling_.require_outside();
        return policies(state_, names_, eviction_, relief_, device(), events_, budget_, calling_);
    }

    /// Does something to the state step by step.
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

    /// Shows the memory to an observer that can look at it, where no event tells what became of it.
    constexpr void show_to_observer() {
        if constexpr (looks_at<Events, memory_view<quanta>>) {
            const typename detail::callback_flag<policies::calls_out>::scope inside(calling_);
            const largest_free_of<Placement> largest(state_.blocks);
            events_.look_at(memory_view<quanta>(map(), state_, scratch_traits_of<Placement>(), names_, &largest));
        }
    }

    constexpr buffer begin_buffer(block_index block, tag label) {
        map().set_tag(block, static_cast<std::uint32_t>(label));
        if constexpr (hears) with_executor([&](auto& moves) { moves.report_block(event_kind::allocated, block); });
        return buffer::of(block, map().generation(block), state_.salt);
    }

    /// Frees a buffer that is pinned or in use, or says what is wrong with the handle.
    [[gnu::cold, gnu::noinline]] constexpr result<done> free_with_care(buffer freed) {
        if (const error why = check(freed); why != error::none) return failure{.reason = why};
        with_executor([&](auto& moves) { moves.defer(freed.index); });
        return done{};
    }
    /// Places a buffer that is nothing but long; `no_block` where that takes more.
    [[gnu::always_inline]] constexpr block_index place_plainly(std::uint64_t bytes, lifetime expected) {
        // For no bytes that is more than any capacity.
        const std::uint64_t last = (bytes - 1) >> state_.shift();
        if (last >= std::numeric_limits<quanta>::max()) [[unlikely]]
            return no_block;
        return state_.blocks.place({.length = static_cast<quanta>(last + 1), .expected = expected});
    }
    /// Allocates a buffer whatever it takes.
    [[gnu::cold, gnu::noinline]] constexpr result<buffer> place_with_care(const request& asked) {
        call_part<quanta> part;
        const error why = unusable_ == error::none ? to_need(asked, state_.spec.quantum, part.required) : unusable_;
        policies calls = bind_policies();
        executor<Placement> says(state_, calls);
        if (why != error::none) return says.refuse(why, asked.bytes, asked.label, asked.alignment);
        part.required.expected = expected_under(state_.blocks, asked.expected, asked.label);
        part.block = place_cold(state_.blocks, part.required);
        call_outcome outcome;
        if (part.block == no_block) outcome = placing(state_, calls, no_index).relieve({&part, 1});
        if (outcome.reason == error::none) {
            map().set_tag(part.block, static_cast<std::uint32_t>(asked.label));
            if constexpr (hears) says.report_block(event_kind::allocated, part.block);
            return buffer::of(part.block, map().generation(part.block), state_.salt);
        }
        outcome.figures.requested = state_.bytes(part.required.length);
        outcome.figures.label = asked.label;
        outcome.figures.alignment = asked.alignment;
        return says.report_failure(outcome.reason, outcome.figures);
    }

    memory_state<Placement> state_;
    detail::run_lists<quanta> lists_;
    tag_names names_;
    failed_run refused_;
    error unusable_ = error::none;  // or why every request fails
    [[no_unique_address]] detail::callback_flag<policies::calls_out> calling_;
    search_budget* budget_ = nullptr;  // of a fork that has one
    [[no_unique_address]] Eviction eviction_;
    [[no_unique_address]] Donation donation_;
    [[no_unique_address]] Relief relief_;
    [[no_unique_address]] std::conditional_t<copies<Device>, detail::device_with_bytes<Device>, Device> device_;
    [[no_unique_address]] Events events_;
};

}  // namespace hbm
