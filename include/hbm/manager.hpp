#pragma once

/// The memory manager. Its story: a request becomes a need, the placement finds it a place; where there is none, relief
/// waits, moves and evicts until there is, after a rehearsal on a copy has shown that it will; and whatever happened is
/// reported.

#include <hbm/core/arguments.hpp>
#include <hbm/core/refused_run.hpp>
#include <hbm/core/specs.hpp>
#include <hbm/core/tag_names.hpp>
#include <hbm/device/no_device.hpp>
#include <hbm/donation/never_donate.hpp>
#include <hbm/events/no_events.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/relief/program_memory.hpp>
#include <hbm/relief/relieve_cheapest.hpp>

#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace hbm {

/// What a run returns.
struct run_result {
    std::span<const buffer> outputs;  ///< in the order of the spec; valid until the end of the manager's next run,
                                      ///< whose arguments they may be, until `reserve_metadata`, or assignment
    std::span<const std::uint32_t> donors;  ///< for each output which donated input it took over, or `no_index`; valid
                                            ///< until the beginning of the next run, `reserve_metadata`, or assignment
    fence over = {};                        ///< reached when the run is over
    std::uint32_t donated = 0;              ///< how many took over an input
    bool reloaded = false;                  ///< the program had been evicted and came back
};

/// A memory manager made of policies. Sizes are in bytes and rounded up to the quantum; costs of the calls are those of
/// the placement unless relief is needed. A regular value: copies honour each other's handles, `==` means that every
/// block, handle and count is the same; one that was moved from can only be assigned to or destroyed. A call that fails
/// leaves everything as it was, with one exception that its result names: a device that fails to copy.
template <placement Placement, eviction Eviction = never_evict, donation Donation = never_donate,
          relief Relief = relieve_cheapest, hbm::device Device = no_device, observer Events = no_events>
class manager : public program_memory<Placement, Eviction, Relief, Device, Events> {
    using base = program_memory<Placement, Eviction, Relief, Device, Events>;

    static_assert(!copies<Device> || !compacts<Placement> || stretches<Placement>,
                  "where real bytes move, a copy may fail in the middle of a move: the placement lets a block occupy "
                  "both places meanwhile with bool stretch(block_index, basic_extent<quanta>)");

public:
    using base::check;
    using typename base::quanta;
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
    constexpr manager() : manager(memory_spec{}) {}

    /// Manages the memory that `spec` describes. `salt` tells this manager's handles from those of unrelated ones that
    /// were given another. If the quantum is no power of two, what is reserved at the top is less than the bounce
    /// region, or the capacity has more quanta than the placement can count, every request fails with `bad_capacity`;
    /// if more is reserved at the top than there is, with `top_too_large`. An observer that can look at a memory is
    /// shown this one.
    constexpr explicit manager(const memory_spec& spec, std::uint32_t salt = 0, const Eviction& eviction_policy = {},
                               const Donation& donation_policy = {}, const Relief& relief_policy = {},
                               const Device& bytes = {}, const Events& events = {})
        : base(eviction_policy, relief_policy, bytes, events), donation_(donation_policy) {
        salt_ = salt;
        const std::uint64_t managed = spec.capacity - spec.top_reserved;
        if (!std::has_single_bit(spec.quantum))
            unusable_ = error::bad_capacity;
        else if (spec.top_reserved > spec.capacity)
            unusable_ = error::top_too_large;
        else if (!spec.is_sound() || managed >> std::countr_zero(spec.quantum) > std::numeric_limits<quanta>::max())
            unusable_ = error::bad_capacity;
        if (unusable_ == error::none) {
            state_.spec = spec;
            state_.blocks = Placement(state_.in_quanta(managed));
        }
        show_observer();
    }

    /// A memory whose space above the last block never runs out: the largest capacity that the placement takes.
    [[nodiscard]] static constexpr memory_spec unlimited(std::uint64_t quantum = default_quantum) noexcept {
        memory_spec spec{.name = "unlimited", .quantum = quantum};
        if (quantum == 0) return spec;
        const std::uint64_t most = ~std::uint64_t{0} / quantum;
        const std::uint64_t wanted = Placement::unlimited;
        spec.capacity = quantum * (wanted <= most ? wanted : std::has_single_bit(wanted) ? std::bit_floor(most) : most);
        return spec;
    }

    // -- buffers --

    /// Allocates a buffer.
    [[nodiscard]] constexpr result<buffer> allocate(const request& wanted) {
        if (const quanta length = plain_length(wanted); length != 0) [[likely]] {
            const lifetime expected = expected_under(state_.blocks, wanted.expected, wanted.label);
            const block_index block = state_.blocks.place({.length = length, .expected = expected});
            if (block != no_block) [[likely]]
                return begin_buffer(block, wanted.label);
        }
        return allocate_with_care(wanted);
    }
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes) { return allocate(request{.bytes = bytes}); }
    /// The same with a name for people; see `name_of`.
    [[nodiscard]] constexpr result<buffer> allocate(std::uint64_t bytes, const char* label) {
        return allocate(request{.bytes = bytes, .label = names_.intern(label)});
    }

    /// Takes a given range over as a buffer that is pinned once: it is held from outside. `range_is_taken` if not all
    /// of it is free, `bad_alignment` if it is empty or not made of whole quanta. Needs a placement that imports.
    [[nodiscard]] constexpr result<buffer> import(extent where, tag label = tag::none) requires imports<Placement> {
        if (unusable_ != error::none) return refuse(unusable_, where.size, label);
        if (((where.offset | where.size) & (state_.spec.quantum - 1)) != 0 || where.size == 0)
            return refuse(error::bad_alignment, where.size, label);
        if (where.offset > this->capacity_bytes() || where.size > this->capacity_bytes() - where.offset)
            return refuse(error::range_is_taken, where.size, label);
        const block_index block = state_.blocks.occupy({state_.in_quanta(where.offset), state_.in_quanta(where.size)});
        if (block == no_block) return refuse(error::range_is_taken, where.size, label);
        const buffer imported = begin_buffer(block, label);
        map().pin(block);
        return imported;
    }

    /// Frees a buffer; its handles go stale. The memory of one that runs in flight use returns when the last of them is
    /// over. Freeing overrides pins: the memory of a pinned buffer returns when frees next take effect, at `retire`,
    /// `sync`, or before a request would fail, although nobody unpinned it; who still uses it frees it as of a fence.
    constexpr result<done> free(buffer freed) {
        if (freed.salt != salt_ || !map().is_plain(freed.index, freed.generation)) [[unlikely]] {
            if (const error why = check(freed); why != error::none) return failure{.reason = why};
            this->defer(freed.index);
            return done{};
        }
        release_buffer(freed.index);
        return done{};
    }

    /// The same for a buffer that somebody else uses until a fence is reached: its memory returns no sooner. A move of
    /// it that has stopped in the middle is given up: both places stay as they are until then, but not what is in the
    /// bounce region.
    constexpr result<done> free(buffer freed, fence until) {
        if (const error why = check(freed); why != error::none) return failure{.reason = why};
        if (until > state_.issued) return failure{.reason = error::unknown_fence};
        if (until <= state_.reached) return free(freed);
        this->defer(freed.index, until);
        return done{};
    }

    /// Pins a buffer, as a reference from outside does: it is a wall and cannot be donated until it has been unpinned
    /// as often, 4,095 times at most, or freed: `free` does not wait for it to be unpinned. A move of it that has
    /// stopped in the middle is finished first: `device_failed` if it cannot be.
    constexpr result<done> pin(buffer pinned) {
        if (const error why = check(pinned); why != error::none) return failure{.reason = why};
        if (map().pins(pinned.index) == block_map<quanta>::most_pins) return failure{.reason = error::too_many_pins};
        if (state_.is_moving(pinned.index) && !this->finish_moving()) return failure{.reason = error::device_failed};
        map().pin(pinned.index);
        return done{};
    }
    /// Takes one pin back.
    constexpr result<done> unpin(buffer pinned) {
        if (const error why = check(pinned); why != error::none) return failure{.reason = why};
        if (map().pins(pinned.index) == 0) return failure{.reason = error::not_pinned};
        map().unpin(pinned.index);
        return done{};
    }

    // -- time --

    /// The device has reached a fence: the runs up to it are over, and frees that nothing stands against any more take
    /// effect. O(holds that end + deferred frees).
    constexpr result<done> retire(fence upto) {
        if (upto > state_.issued) return failure{.reason = error::unknown_fence};
        this->reach(upto);
        return done{};
    }
    /// All runs are over, all deferred frees take effect. Cost as above.
    constexpr void sync() { this->reach(state_.issued); }

    // -- programs --

    /// Loads a program: reserves its scratch and places its code and constants. O(blocks + programs): it is rehearsed.
    [[nodiscard]] constexpr result<program> load(const program_spec& spec) {
        const tag label = names_.intern(spec.name);
        if (unusable_ != error::none) return refuse(unusable_, spec.code, label);
        const std::optional<quanta> code = to_quanta<quanta>(spec.code, state_.spec.quantum);
        const std::optional<quanta> scratch = to_quanta<quanta>(spec.scratch, state_.spec.quantum);
        if (!code) return refuse(error::size_too_large, spec.code, label);
        if (!scratch) return refuse(error::size_too_large, spec.scratch, label);
        const std::uint32_t slot = this->free_slot();
        program_record& record = state_.programs[slot];
        const program_record before = record;
        record = {
            .code = state_.bytes(*code), .scratch = spec.scratch == 0 ? 0 : state_.bytes(*scratch), .label = label};
        if (const std::uint64_t most = state_.scratch_limit(); record.scratch > most) {
            record.spilled = record.scratch - most;
            record.scratch = most;
        }
        record.generation = before.generation + 1;
        record.reload_nanoseconds = spec.reload_us > ~std::uint64_t{0} / 1000
                                        ? state_.spec.reload_nanoseconds(record.code)
                                        : spec.reload_us * 1000;
        failure trouble;
        const error why = this->load_slot(slot, trouble);
        if (why != error::none) {
            state_.programs[slot] = before;
            if (before.generation == 0) state_.programs.pop_back();
            return report_failure(why, trouble);
        }
        use(slot);
        this->report_program(happening::loaded, slot);
        return program{slot, state_.programs[slot].generation, salt_};
    }

    /// Brings an evicted program back; nothing to do for one that is in memory.
    constexpr result<done> load(program wanted) {
        if (const error why = check(wanted); why != error::none) return report_failure(why, {});
        if (state_.programs[wanted.index].resident) return done{};
        failure trouble;
        const error why = this->reload_slot(wanted.index, trouble);
        if (why != error::none) return report_failure(why, trouble);
        use(wanted.index);
        return done{};
    }

    /// Evicts a program by hand once its runs are over; its handle stays good. Nothing to do for one that is not in
    /// memory.
    constexpr result<done> evict(program victim) {
        if (const error why = check(victim); why != error::none) return failure{.reason = why};
        this->wait_for(victim.index);
        if (state_.programs[victim.index].resident)
            this->carry_out(step{.what = remedy::evict, .subject = victim.index});
        return done{};
    }

    /// Ends a program once its runs are over; its handles go stale.
    constexpr result<done> unload(program ended) {
        if (const error why = check(ended); why != error::none) return failure{.reason = why};
        this->wait_for(ended.index);
        const event gone = this->describe_program(happening::unloaded, ended.index);
        const std::uint64_t reserved = this->reserved_bytes();
        state_.evict(ended.index);
        state_.programs[ended.index] = program_record{.generation = ended.generation + 1};
        this->report(gone);
        this->report_reservation(reserved);
        return done{};
    }

    /// Runs a program, which comes back first if it was evicted. Donated inputs are taken over by outputs, by their
    /// partners or as the donation policy says, output by output; the other outputs are allocated; donors that nobody
    /// took are freed. All or nothing. The run is in flight afterwards if the memory is one for runs in flight; the
    /// oldest run is over when there would be more than it is for. O(arguments), besides what placing costs, if at most
    /// one output needs fresh memory or the longest free run surely holds them all; otherwise O(blocks + programs): it
    /// is rehearsed.
    [[nodiscard]] constexpr result<run_result> run(program wanted, const run_spec& spec) {
        if (const error why = check(wanted); why != error::none) return report_failure(why, {});
        if (const failure why = check_arguments(map(), salt_, spec); why.reason != error::none)
            return report_failure(why.reason, why);
        for (std::uint32_t at = 0; at < spec.outputs.size(); ++at)
            if (!to_quanta<quanta>(spec.outputs[at].bytes, state_.spec.quantum))
                return report_failure(
                    error::size_too_large,
                    {.requested = spec.outputs[at].bytes, .label = spec.outputs[at].label, .argument = at});
        fresh_outputs fresh;
        if (const failure why = match_donors(spec, fresh); why.reason != error::none)
            return report_failure(why.reason, why);
        const bool reloaded = !state_.programs[wanted.index].resident;
        failure trouble;
        error why = error::none;
        // One is placed or not; the longest run that holds them all does so in whatever order they come.
        const bool at_once = !reloaded && !this->uses_what_is_moving(wanted.index, spec) &&
                             (fresh.count <= 1 || fresh.bytes <= this->largest_free_bytes());
        if (!at_once || !this->place_at_once(spec)) why = this->relieve_and_place_outputs(wanted.index, spec, trouble);
        if (why != error::none) return keep_refused(wanted, spec, report_failure(why, trouble));
        ++state_.issued.number;
        if (state_.spec.runs_in_flight == 0)
            state_.reached = state_.issued;
        else
            hold_arguments(wanted.index, spec);
        const std::uint32_t donated = hand_over(spec);
        use(wanted.index);
        if (const std::uint64_t spilled = state_.programs[wanted.index].spilled; spilled != 0) {
            ++totals_.spilled_runs;
            totals_.spill_nanoseconds = add_up(totals_.spill_nanoseconds, state_.spec.spill_nanoseconds(spilled));
        }
        this->report({.what = happening::ran,
                      .label = state_.programs[wanted.index].label,
                      .subject = wanted.index,
                      .from = state_.issued.number});
        if (state_.spec.runs_in_flight != 0) launch();
        return run_result{outputs_, takers_, state_.issued, donated, reloaded};
    }

    /// For each output of a run which donated input it would take over, or `no_index`; empty when the arguments are not
    /// good. Valid until the next run. O(arguments).
    [[nodiscard]] constexpr std::span<const std::uint32_t> donors_of(const run_spec& spec) {
        fresh_outputs fresh;
        bool good = check_arguments(map(), salt_, spec).reason == error::none;
        for (const output& wanted : spec.outputs) good = good && to_quanta<quanta>(wanted.bytes, state_.spec.quantum);
        if (!good || match_donors(spec, fresh).reason != error::none) return {};
        return takers_;
    }

    /// The latest run that found no room, for those who explain it. Its failure is no part of the memory: equal
    /// managers may have refused different runs, and a fork has refused none.
    [[nodiscard]] constexpr const refused_run& refused() const noexcept { return refused_; }

    // -- relief by hand --

    /// What relief would do so that a buffer can be allocated, with a lower bound of what that costs; no steps if it
    /// fits as it is, no plan if the relief policy has none, and then what is known of why. For `relieve`, to look at,
    /// or to drop: nothing is done. Once the pending move is finished, if there is one. See `joint_search` for the
    /// cost.
    [[nodiscard]] constexpr relief_verdict plan_for(const request& wanted) const {
        need<quanta> understood;
        if (unusable_ != error::none || understand(wanted, state_.spec.quantum, understood) != error::none)
            return {{}, refusal_proof::too_few_bytes, ~std::uint64_t{0}};
        if (!state_.moving) return this->verdict_on(understood);
        manager<Placement, Eviction, Donation, Relief> later = fork();
        later.finish_moving();
        return later.verdict_on(understood);
    }

    /// Carries a plan out that was made for this memory as it is, or as it will be once the pending move is finished,
    /// which comes first; or, if a step is impossible by now, says so and has done what came before it. Fences that are
    /// not issued: `unknown_fence`; programs that are not in memory or in use: `stale_handle`; moves of what must stay,
    /// or onto what is not free: `range_is_taken`.
    constexpr result<done> relieve(const plan& steps) {
        if (!this->finish_moving()) return failure{.reason = error::device_failed};
        for (const step& next : steps.steps) {
            if (next.what == remedy::wait && next.to > state_.issued.number)
                return failure{.reason = error::unknown_fence};
            if (next.what == remedy::evict &&
                (next.subject >= state_.programs.size() || !state_.can_evict(next.subject)))
                return failure{.reason = error::stale_handle};
            if (next.what == remedy::move && !state_.can_carry_out(next))
                return failure{.reason = error::range_is_taken};
            if (!this->carry_out(next)) return failure{.reason = error::device_failed};
        }
        return done{};
    }

    /// Finishes the move that has stopped in the middle, if one has; `device_failed` if it stops again. Relief does so
    /// before anything else, and so do a run that uses the block and a pin of it. O(copies).
    constexpr result<done> finish_moves() {
        if (!this->finish_moving()) return failure{.reason = error::device_failed};
        return done{};
    }

    /// Moves at most `budget` bytes towards as few and as long holes as the walls allow: what lies between two walls is
    /// packed to the low end, or, under a placement that reserves at the bottom, to the high one, and blocks jump over
    /// walls where that makes a longer hole. Made for idle time: what is in use stays, nothing is evicted or waited
    /// for, and between two calls everything else may be called. Each call that can moves something, unless the device
    /// fails; calls with the same budget come to an end; and the result says how much is left. A block that is longer
    /// than the budget slides in parts over several calls, and is in two places between them: see `pieces`. A budget of
    /// nothing asks how much there is to do. Only where blocks may move. O(blocks log(blocks)), and as much for each
    /// jump over a wall; and the copies.
    constexpr compaction compact(std::uint64_t budget) requires compacts<Placement> { return this->compact_by(budget); }

    /// Makes the memory longer at its top: `bytes`, rounded down to the quantum, are its capacity from then on. Handles
    /// stay good. False, and nothing done, if that is not more than it has or more than can be counted, or if bytes are
    /// stuck in the bounce region, which goes up with the top. O(blocks).
    constexpr bool extend(std::uint64_t bytes) requires requires(Placement p) { p.extend(quanta{}); }
    {
        if (unusable_ != error::none || bytes >> state_.shift() > std::numeric_limits<quanta>::max()) return false;
        if (state_.moving.bounced != 0) return false;
        if (!state_.blocks.extend(state_.in_quanta(bytes))) return false;
        state_.spec.capacity = state_.bytes(map().capacity()) + state_.spec.top_reserved;
        show_observer();
        return true;
    }

    // -- looking; see relieving_memory for more --

    /// The tag of a name, for requests; and the name of a tag.
    constexpr tag tag_of(const char* label) { return names_.intern(label); }
    [[nodiscard]] constexpr const char* name_of(tag label) const noexcept { return names_.name(label); }

    /// Room for `blocks` live blocks without asking the host again, and for that many arguments or outputs of a run, or
    /// of all runs in flight together, and frees that are deferred. 48 bytes a block under the fits, 48 an argument.
    constexpr void reserve_metadata(std::size_t blocks, std::size_t arguments = 1024) {
        if constexpr (reserves_metadata<Placement>) state_.blocks.reserve_metadata(blocks);
        donors_.reserve(arguments);
        takers_.reserve(arguments);
        outputs_.reserve(arguments);
        placing_.reserve(arguments);
        state_.deferred.reserve(arguments);
        if (state_.spec.runs_in_flight == 0) return;
        state_.held.reserve(arguments);
        state_.flights.reserve(most_in_flight + 1);
    }

    /// A copy without device and observer, to ask "what if". O(blocks + programs).
    [[nodiscard]] constexpr forked fork() const {
        forked copy;
        this->copy_into(copy);
        copy.donation_ = donation_;
        copy.names_ = names_;
        copy.unusable_ = unusable_;
        return copy;
    }

    /// The same memory under other policies, those of the manager type `Other`, whose placement is the same or one that
    /// can be made of it (among exact fits all can), and whose way of relief is `relief_policy`; without device and
    /// observer, as a fork. O(blocks + programs).
    template <class Other>
    [[nodiscard]] constexpr Other under(const typename Other::relief_type& relief_policy = {}) const {
        Other other;
        other.relief_ = relief_policy;
        other.state_ = state_.template under<typename Other::placement_type>();
        other.totals_ = totals_;
        other.clock_ = clock_;
        other.salt_ = salt_;
        other.names_ = names_;
        other.refused_ = refused_;
        other.unusable_ = unusable_;
        return other;
    }

    /// Names are words about the state, not part of it.
    friend constexpr bool operator==(const manager& a, const manager& b) {
        return static_cast<const base&>(a) == static_cast<const base&>(b) && a.unusable_ == b.unusable_ &&
               a.donation_ == b.donation_;
    }

private:
    template <placement, eviction, donation, relief, hbm::device, observer>
    friend class manager;

    using base::begin_buffer;
    using base::clock_;
    using base::end_buffer;
    using base::length_of;
    using base::map;
    using base::outputs_;
    using base::placing_;
    using base::refuse;
    using base::release_buffer;
    using base::report_failure;
    using base::salt_;
    using base::state_;
    using base::takers_;
    using base::totals_;
    using base::use;

    /// Shows the memory to an observer that can look at it, where no event tells what became of it.
    constexpr void show_observer() {
        if constexpr (looks_at<Events, manager>) this->events().look_at(*this);
    }

    /// How many quanta a request is for that is nothing but long; 0 where it takes more to tell.
    [[nodiscard]] constexpr quanta plain_length(const request& wanted) const noexcept {
        // For no bytes that is more than any capacity.
        const std::uint64_t last = (wanted.bytes - 1) >> std::countr_zero(state_.spec.quantum);
        const bool plain = wanted.alignment <= 1 && wanted.preferred != side::high;
        return plain && last < std::numeric_limits<quanta>::max() ? static_cast<quanta>(last + 1) : 0;
    }

    [[gnu::noinline]] constexpr result<buffer> allocate_with_care(const request& wanted) {
        need<quanta> length;
        const error why = unusable_ == error::none ? understand(wanted, state_.spec.quantum, length) : unusable_;
        if (why != error::none) return refuse(why, wanted.bytes, wanted.label, wanted.alignment);
        length.expected = expected_under(state_.blocks, wanted.expected, wanted.label);
        block_index block = state_.blocks.place(length);
        if (block == no_block) {
            const error trouble = this->relieve_and_place(length, block);
            if (trouble != error::none)
                return refuse(trouble, state_.bytes(length.length), wanted.label, wanted.alignment);
        }
        return begin_buffer(block, wanted.label);
    }

    // -- runs --

    /// The outputs of a run that take nothing over.
    struct fresh_outputs {
        std::uint32_t count = 0;
        std::uint64_t bytes = 0;  ///< how long a free run surely holds them; the largest number where that depends on
                                  ///< where it lies
    };

    /// Pairs outputs with donors: `takers_` has a donor's index, or `no_index`, for each output. Says how many are left
    /// over, or which output must take over what it cannot.
    constexpr failure match_donors(const run_spec& spec, fresh_outputs& fresh) {
        takers_.assign(spec.outputs.size(), no_index);
        donors_.clear();
        if constexpr (donates<Donation>) {
            for (const buffer donor : spec.donated) donors_.push_back(std::uint64_t{map().granted(donor.index)});
            for (const std::uint32_t kept : spec.kept) donors_[kept] = 0;
        }
        if (const failure why = match_partners(spec); why.reason != error::none) return why;
        std::size_t gone = 0;  // donors before this one are taken
        struct {
            quanta length = 0;
            std::uint32_t ended = 0;
        } searches[64];  // where the last search for a length ended, by a hash of it; a collision begins anew
        for (std::size_t at = 0; at < spec.outputs.size(); ++at) {
            const output& wanted = spec.outputs[at];
            const quanta length = length_of(wanted);
            if constexpr (donates<Donation>) {
                if (wanted.alias == aliasing::any) {
                    while (gone < donors_.size() && donors_[gone] == 0) ++gone;
                    std::size_t from = gone;
                    auto& search = searches[static_cast<std::uint32_t>(length * 0x9e3779b1u) >> 26];
                    if (takes_first_of_a_size<Donation> && search.length == length && search.ended > from)
                        from = search.ended;
                    const std::size_t found =
                        donation_.choose(std::span<const std::uint64_t>{donors_}.subspan(from), length);
                    search = {length, static_cast<std::uint32_t>(donors_.size())};
                    if (found < donors_.size() - from && donors_[from + found] >= length) {
                        takers_[at] = static_cast<std::uint32_t>(from + found);
                        search.ended = takers_[at] + 1;
                        donors_[from + found] = 0;
                    }
                }
            }
            if (takers_[at] != no_index) continue;
            const need<quanta> required = state_.blocks.requirement({.length = length});
            const std::uint64_t bytes = required.alignment == 1 ? state_.bytes(required.length) : ~std::uint64_t{0};
            ++fresh.count;
            fresh.bytes = fresh.bytes > ~std::uint64_t{0} - bytes ? ~std::uint64_t{0} : fresh.bytes + bytes;
        }
        return {};
    }

    /// The same for the outputs that have partners, which are then offered to nobody else.
    constexpr failure match_partners(const run_spec& spec) {
        for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
            const output& wanted = spec.outputs[at];
            if (wanted.alias == aliasing::any) continue;
            error why = error::alias_never_taken;
            if constexpr (donates<Donation>) {
                const std::uint64_t offered = donors_[wanted.partner];
                if (offered == length_of(wanted)) {
                    takers_[at] = wanted.partner;
                    why = error::none;
                } else if (offered != 0) {
                    why = error::alias_of_other_size;
                } else {
                    why = error::alias_twice;
                    for (const std::uint32_t kept : spec.kept)
                        if (kept == wanted.partner) why = error::alias_not_donated;
                }
                donors_[wanted.partner] = 0;
            }
            if (why != error::none && wanted.alias == aliasing::must)
                return {.reason = why,
                        .requested = wanted.bytes,
                        .argument = at,
                        .first_use = static_cast<std::uint32_t>(spec.inputs.size()) + wanted.partner};
        }
        return {};
    }

    /// Remembers a run that is refused for want of room: what explains it has to try all of it.
    [[gnu::noinline]] constexpr failure keep_refused(program wanted, const run_spec& spec, const failure& why) {
        // Who tries the same run again may name these very lists.
        const auto copy = [](auto& into, const auto& from) {
            if (from.begin() != into.data()) into.assign(from.begin(), from.end());
        };
        refused_.why = why;
        refused_.wanted = wanted;
        copy(refused_.inputs, spec.inputs);
        copy(refused_.donated, spec.donated);
        copy(refused_.outputs, spec.outputs);
        copy(refused_.kept, spec.kept);
        refused_.donors = takers_;
        refused_.run_us = spec.run_us;
        refused_.fresh_bytes = 0;
        for (std::size_t at = 0; at < spec.outputs.size(); ++at) {
            if (takers_[at] != no_index) continue;
            refused_.fresh_bytes = add_up(refused_.fresh_bytes, state_.bytes(length_of(spec.outputs[at])));
        }
        return why;
    }

    /// What a run that is about to fly uses is held until it is over.
    constexpr void hold_arguments(std::uint32_t slot, const run_spec& spec) {
        const std::size_t before = state_.held.size();
        this->for_each_argument(spec, [&](block_index block) { state_.begin_hold(block); });
        this->for_each_block_of(slot, [&](block_index block) { state_.begin_hold(block); });
        for (const buffer placed : placing_)
            if (placed) state_.begin_hold(placed.index);
        state_.flights.push_back(
            {.over = state_.issued,
             .slot = slot,
             .holds = static_cast<std::uint32_t>(state_.held.size() - before),
             .nanoseconds = spec.run_us > ~std::uint64_t{0} / 1000 ? ~std::uint64_t{0} : spec.run_us * 1000});
    }
    /// Waits for the oldest runs until there are no more than the memory is for.
    constexpr void launch() {
        const std::size_t most =
            state_.spec.runs_in_flight < most_in_flight ? state_.spec.runs_in_flight : most_in_flight;
        if (state_.flights.size() > most) this->reach(state_.flights[state_.flights.size() - 1 - most].over);
    }

    /// Ends the donors and begins the outputs.
    constexpr std::uint32_t hand_over(const run_spec& spec) {
        std::uint32_t donated = 0;
        totals_.donations_offered += spec.donated.size();
        totals_.donations_kept += spec.kept.size();
        for (const std::uint32_t kept : spec.kept) map().mark(spec.donated[kept].index);
        for (std::uint32_t at = 0; at < spec.outputs.size(); ++at) {
            const output& wanted = spec.outputs[at];
            if (takers_[at] == no_index) {
                begin_buffer(placing_[at].index, wanted.label);
                continue;
            }
            const block_index block = spec.donated[takers_[at]].index;
            const std::uint64_t before = state_.bytes(map().granted(block));
            // An output is as well aligned as what it takes over.
            map().renew(block, length_of(wanted), map().alignment(block));
            map().set_owner(block, block_kind::data, static_cast<std::uint32_t>(wanted.label));
            if constexpr (shrinks<Placement>) {
                // While others hold the block, the rest of it is in use as well.
                if (map().holds(block) == 0) state_.blocks.shrink(block, map().granted(block));
            }
            placing_[at] = {block, map().generation(block), salt_};
            ++donated;
            ++totals_.donations_taken;
            totals_.donated_bytes += state_.bytes(map().granted(block));
            this->report({.what = happening::donated,
                          .label = wanted.label,
                          .subject = block,
                          .where = state_.where(block),
                          .from = before - state_.bytes(map().granted(block))});
        }
        for (const buffer donor : spec.donated)
            if (map().is_live(donor.index, donor.generation) && !map().marked(donor.index)) end_buffer(donor.index);
        for (const std::uint32_t kept : spec.kept) map().unmark(spec.donated[kept].index);
        outputs_.swap(placing_);
        return donated;
    }

    [[no_unique_address]] Donation donation_;
    std::vector<std::uint64_t> donors_;  // of the run in hand: granted quanta, 0 once taken
    tag_names names_;
    refused_run refused_;
    error unusable_ = error::none;  // or why every request fails
};

}  // namespace hbm
