#pragma once

/// Memory in which all that may need relief is rehearsed on a copy first: it is done as a whole, or not at all.

#include <hbm/core/specs.hpp>
#include <hbm/device/no_device.hpp>
#include <hbm/events/no_events.hpp>
#include <hbm/manager/program_memory.hpp>

#include <cstdint>
#include <vector>

namespace hbm {

/// What may need relief.
enum class errand_kind : std::uint8_t {
    place,    ///< one need
    load,     ///< a new program
    reload,   ///< one that was evicted
    outputs,  ///< of a run, whose program comes back first if it was evicted
};

/// The same with all that it takes: it is done once on a copy, and then in earnest.
template <class Quanta>
struct errand {
    errand_kind what;
    std::uint32_t slot;  ///< of the program that it is for, if for one
    failure& trouble;    ///< why it failed
    need<Quanta> wanted = {};
    const run_spec* spec = nullptr;
    block_index block = no_block;  ///< that was placed
};

/// What a manager stands on: all that its donation policy has no say in.
template <placement Placement, eviction Eviction, relief Relief, hbm::device Device, observer Events>
class rehearsing_memory : public program_memory<Placement, Eviction, Relief, Device, Events> {
    using base = program_memory<Placement, Eviction, Relief, Device, Events>;

public:
    using typename base::quanta;

protected:
    /// The same memory without device and observer.
    using bare = rehearsing_memory<Placement, Eviction, Relief, no_device, no_events>;

    using base::clock_;
    using base::donor_of_output_;
    using base::eviction_;
    using base::first_;
    using base::only_scripted_;
    using base::relief_;
    using base::salt_;
    using base::script_;
    using base::script_at_;
    using base::state_;
    using base::totals_;

    using base::base;

    /// Places a need that did not fit, with relief. `error::none`, or why there is no `block`.
    constexpr error relieve_and_place(const need<quanta>& wanted, block_index& block) {
        failure trouble;
        errand<quanta> asked{errand_kind::place, no_index, trouble};
        asked.wanted = wanted;
        const error why = rehearsed(asked);
        block = asked.block;
        return why;
    }
    /// Brings a new program in, or an evicted one back. What `trouble` says is why it failed.
    constexpr error load_slot(std::uint32_t slot, failure& trouble) {
        errand<quanta> asked{errand_kind::load, slot, trouble};
        return rehearsed(asked);
    }
    constexpr error reload_slot(std::uint32_t slot, failure& trouble) {
        errand<quanta> asked{errand_kind::reload, slot, trouble};
        return rehearsed(asked);
    }
    /// Places the fresh outputs of a run, its program coming back first if it was evicted.
    constexpr error relieve_and_place_outputs(std::uint32_t slot, const run_spec& spec, failure& trouble) {
        errand<quanta> asked{errand_kind::outputs, slot, trouble};
        asked.spec = &spec;
        return rehearsed(asked);
    }

    /// Makes `copy` the same memory, but for device and observer.
    constexpr void copy_into(bare& copy) const {
        copy.state_ = state_;
        copy.totals_ = totals_;
        copy.clock_ = clock_;
        copy.salt_ = salt_;
        copy.eviction_ = eviction_;
        copy.relief_ = relief_;
        copy.donor_of_output_ = donor_of_output_;
    }

    /// What relief would do, once the pending move is finished.
    [[nodiscard]] constexpr planning_result verdict_once_finished(const need<quanta>& wanted) const {
        if (!state_.moving) return this->verdict_on(wanted);
        bare later;
        copy_into(later);
        later.finish_moving();
        return later.verdict_on(wanted);
    }

private:
    template <placement, eviction, relief, hbm::device, observer>
    friend class rehearsing_memory;

    /// `error::none`, or why it failed.
    constexpr error carry_out_errand(errand<quanta>& asked) {
        if (asked.what == errand_kind::place) {
            asked.block = this->place_or_relieve(asked.wanted, no_index);
            return asked.block == no_block ? error::buffer_does_not_fit : error::none;
        }
        if (asked.what == errand_kind::outputs)
            return this->place_with_arguments_held(asked.slot, *asked.spec, asked.trouble);
        if (!this->begin_script(asked.slot)) return error::code_does_not_fit;
        return asked.what == errand_kind::load ? this->bring_in(asked.slot, asked.trouble)
                                               : this->reload(asked.slot, asked.trouble);
    }

    /// Does it on a fork, and takes over what relief that found. `error::none`, or why it failed.
    constexpr error rehearse(errand<quanta>& asked, bool waits_for_all) {
        bare rehearsal;
        copy_into(rehearsal);
        rehearsal.waits_for_all_ = waits_for_all;
        const error why = rehearsal.carry_out_errand(asked);
        script_ = static_cast<std::vector<plan>&&>(rehearsal.script_);
        return why;
    }

    /// Does on a fork what may need relief; if that succeeds, does it here, with the plans that the fork found. The
    /// only way in which the second doing can fail is the device.
    constexpr error rehearsed(errand<quanta>& asked) {
        error why = rehearse(asked, false);
        if (why != error::none && !script_.empty() && !state_.flights.empty()) {
            // A part that waited for little may have taken the room of another.
            const failure before = asked.trouble;
            if (rehearse(asked, true) == error::none)
                why = error::none;
            else
                asked.trouble = before;
        }
        if (why != error::none) {
            script_.clear();
            return why;
        }
        first_ = {};
        if (script_.size() > 1) {
            for (int round = 0; round < max_rounds && evict_at_first(asked); ++round) {
            }
            drop_what_is_in_vain(asked);
        }
        script_at_ = 0;
        const bool succeeded = carry_out_errand(asked) == error::none;
        if (succeeded && (!script_.empty() || !first_.steps.empty())) ++totals_.relieved;
        script_.clear();
        script_at_ = 0;
        return succeeded ? error::none : error::device_failed;
    }

    /// Parts of one call are placed one after another, and relief for the first may move what goes for a later one, or
    /// evict what need not go once that has gone: takes all who leave out first, unless that costs more on the whole,
    /// or one of them, where that costs less. True when the script is another one. O(evictions) rehearsals.
    constexpr bool evict_at_first(errand<quanta>& asked) {
        plan waits;
        plan leaving;
        for (const step& next : whole_script().steps)
            if (next.what != step_kind::move) (next.what == step_kind::wait ? waits : leaving).add(next);
        if (leaving.steps.empty()) return false;
        bool changed = false;
        for (std::size_t at = 0; at <= leaving.steps.size() && at < max_tries; ++at) {
            bare trial;
            copy_into(trial);
            trial.first_ = waits;
            if (at == 0)
                trial.first_.add(leaving);
            else
                trial.first_.add(leaving.steps[at - 1]);
            if (trial.carry_out_errand(asked) != error::none) continue;
            const plan found = trial.whole_script();
            const plan known = this->whole_script();
            if (found.nanoseconds > known.nanoseconds) continue;
            const bool less = found.nanoseconds < known.nanoseconds || found.steps.size() < known.steps.size();
            if (at != 0 && !less) continue;
            first_ = static_cast<plan&&>(trial.first_);
            script_ = static_cast<std::vector<plan>&&>(trial.script_);
            changed = changed || less;
        }
        return changed;
    }

    [[nodiscard]] constexpr plan whole_script() const {
        plan whole = first_;
        for (const plan& each : script_) whole.add(each);
        return whole;
    }

    /// What one plan does may turn out to be in vain because of what another does: drops each step without which the
    /// work succeeds as well, the latest first. O(steps) rehearsals.
    constexpr void drop_what_is_in_vain(errand<quanta>& asked) {
        std::size_t tries = 0;
        for (std::size_t which = script_.size() + 1; which-- > 0;) {
            const std::size_t steps = which == script_.size() ? first_.steps.size() : script_[which].steps.size();
            for (std::size_t at = steps; at-- > 0 && tries < max_tries; ++tries) {
                bare trial;
                copy_into(trial);
                trial.first_ = first_;
                trial.script_ = script_;
                trial.only_scripted_ = true;
                plan& shorter = which == script_.size() ? trial.first_ : trial.script_[which];
                shorter.nanoseconds -= shorter.steps[at].nanoseconds;
                shorter.steps.erase(shorter.steps.begin() + static_cast<std::ptrdiff_t>(at));
                if (trial.carry_out_errand(asked) != error::none || trial.script_at_ != script_.size()) continue;
                first_ = static_cast<plan&&>(trial.first_);
                script_ = static_cast<std::vector<plan>&&>(trial.script_);
            }
        }
    }
    static constexpr int max_rounds = 4;
    static constexpr std::size_t max_tries = 64;
};

}  // namespace hbm
