#pragma once

/// The memory manager. Its story: a request becomes a need, the placement finds it a place; where there is none, relief
/// waits, moves and evicts until there is, after a rehearsal on a copy has shown that it will; and whatever happened is
/// reported. All of that is `managed_memory`. Here are runs, in which outputs take donated inputs over, and the manager
/// as a value.

#include <hbm/device/no_device.hpp>
#include <hbm/donation/never_donate.hpp>
#include <hbm/events/no_events.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/manager/managed_memory.hpp>
#include <hbm/relief/relieve_cheapest.hpp>

#include <cstdint>
#include <span>

namespace hbm {

/// A memory manager made of policies. Sizes are in bytes and rounded up to the quantum; costs of the calls are those of
/// the placement unless relief is needed. A regular value: copies honour each other's handles, `==` means that every
/// block, handle and count is the same; one that was moved from can only be assigned to or destroyed. A call that fails
/// leaves everything as it was, with one exception that its result names: a device that fails to copy.
template <placement Placement, eviction Eviction = never_evict, donation Donation = never_donate,
          relief Relief = relieve_cheapest, hbm::device Device = no_device, observer Events = no_events>
class manager : public managed_memory<Placement, Eviction, Relief, Device, Events> {
    using base = managed_memory<Placement, Eviction, Relief, Device, Events>;

public:
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
        : base(spec, salt, eviction_policy, relief_policy, bytes, events), donation_(donation_policy) {}

    // -- runs --

    /// Runs a program, which comes back first if it was evicted. Donated inputs are taken over by outputs, by their
    /// partners or as the donation policy says, output by output; the other outputs are allocated; donors that nobody
    /// took are freed. All or nothing. The run is in flight afterwards if the memory is one for runs in flight; the
    /// oldest run is over when there would be more than it is for. O(arguments), besides what placing costs, if at most
    /// one output needs fresh memory or the longest free run surely holds them all; otherwise O(blocks + programs): it
    /// is rehearsed.
    [[nodiscard]] constexpr result<run_result> run(program wanted, const run_spec& spec) {
        fresh_outputs fresh;
        failure why = this->check_run(wanted, spec);
        if (why.reason == error::none) why = match_donors(spec, fresh);
        if (why.reason != error::none) return this->report_failure(why.reason, why);
        return this->run_paired(wanted, spec, fresh);
    }

    /// For each output of a run which donated input it would take over, or `no_index`; empty when the arguments are not
    /// good. Valid until the next run. O(arguments).
    [[nodiscard]] constexpr std::span<const std::uint32_t> donors_of(const run_spec& spec) {
        fresh_outputs fresh;
        bool good = check_arguments(map(), salt_, spec).reason == error::none;
        for (const output& wanted : spec.outputs) good = good && to_quanta<quanta>(wanted.bytes, state_.spec.quantum);
        if (!good || match_donors(spec, fresh).reason != error::none) return {};
        return donor_of_output_;
    }

    // -- the manager as a value --

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
    /// can be made of it (among exact fits all can, if both reserve at the bottom or neither does), and whose way of
    /// relief is `relief_policy`; without device and observer, as a fork. O(blocks + programs).
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
        return static_cast<const base&>(a) == static_cast<const base&>(b) && a.donation_ == b.donation_;
    }

private:
    template <placement, eviction, donation, relief, hbm::device, observer>
    friend class manager;

    using base::clock_;
    using base::donor_of_output_;
    using base::donors_;
    using base::length_of;
    using base::map;
    using base::names_;
    using base::refused_;
    using base::salt_;
    using base::state_;
    using base::totals_;
    using base::unusable_;
    using typename base::fresh_outputs;

    /// Pairs outputs with donors: `donor_of_output_` has a donor's index, or `no_index`, for each output. Says how many
    /// are left over, or which output must take over what it cannot.
    constexpr failure match_donors(const run_spec& spec, fresh_outputs& fresh) {
        donor_of_output_.assign(spec.outputs.size(), no_index);
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
                        donor_of_output_[at] = static_cast<std::uint32_t>(from + found);
                        search.ended = donor_of_output_[at] + 1;
                        donors_[from + found] = 0;
                    }
                }
            }
            if (donor_of_output_[at] != no_index) continue;
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
                    donor_of_output_[at] = wanted.partner;
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

    [[no_unique_address]] Donation donation_;
};

}  // namespace hbm
