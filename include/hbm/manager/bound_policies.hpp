#pragma once

#include <hbm/device/device.hpp>
#include <hbm/events/events.hpp>
#include <hbm/manager/callbacks.hpp>
#include <hbm/manager/policy_interface.hpp>
#include <hbm/planning/relief.hpp>
#include <hbm/state/memory_view.hpp>

#include <cstdint>
#include <optional>
#include <type_traits>

namespace hbm::inline v0::detail {

/// True if an observer receives events, with or without the memory.
template <class Events, class Quanta>
inline constexpr bool hears = hears_events<Events> || hears_events_of<Events, memory_view<Quanta>>;

template <eviction Eviction, relief Relief>
class bound_relief final : public relief_interface {
public:
    constexpr bound_relief(const Eviction& eviction_policy, const Relief& relief_policy, search_budget* allowed)
        : eviction_(eviction_policy), relief_(relief_policy) {
        relief_interface::choice = Eviction::choice;
        relief_interface::budget = allowed;
    }

    [[nodiscard, gnu::cold]] constexpr std::uint64_t score([[maybe_unused]] const program_record& record,
                                                           [[maybe_unused]] std::uint64_t now) const override {
        if constexpr (evicts<Eviction>)
            return eviction_.score(record, now);
        else
            return 0;
    }
    [[nodiscard]] constexpr std::optional<plan> choose(const planning_problem& problem) const override {
        return plan_by(relief_, problem);
    }

private:
    const Eviction& eviction_;
    const Relief& relief_;
};

/// Stands in when the manager can only wait.
class bound_to_wait {
public:
    template <class Eviction, class Relief>
    constexpr bound_to_wait(const Eviction&, const Relief&, search_budget*) {}
};

/// All policies, bound for one call. `Plans` is false if only waiting makes room.
template <placement P, eviction Eviction, relief Relief, device Device, observer Events, bool Plans>
class bound_policies final : public policy_interface {
    using quanta = typename P::quanta;
    static constexpr bool hears_events = detail::hears<Events, quanta>;

public:
    static constexpr bool calls_out = hears_events || copies<Device>;

    /// Requires: all arguments outlive the object.
    constexpr bound_policies(const memory_state<P>& state, const tag_names& names, Eviction& eviction_policy,
                             Relief& relief_policy, Device& bytes, Events& events, search_budget* allowed,
                             callback_flag<calls_out>& flag)
        : state_(state), names_(names), eviction_(eviction_policy), relief_(relief_policy), device_(bytes),
          events_(events), callbacks_(flag), ways_(eviction_policy, relief_policy, allowed) {
        policy_interface::has_bytes = copies<Device>;
        policy_interface::hears = hears_events;
        policy_interface::heard_reservation = state.reserved_bytes();
        if constexpr (Plans) policy_interface::relief = &ways_;
    }

    constexpr bool copy([[maybe_unused]] std::uint64_t to, [[maybe_unused]] std::uint64_t from,
                        [[maybe_unused]] std::uint64_t bytes) override {
        bool copied = !copies<Device>;
        if constexpr (copies<Device>) callbacks_.make([&] { copied = device_.copy(to, from, bytes); });
        return copied;
    }
    constexpr void on([[maybe_unused]] const event& occurred) override {
        if constexpr (hears_events_of<Events, memory_view<quanta>>) {
            const largest_free_of<P> largest(state_.blocks);
            const memory_view<quanta> memory(state_.blocks.map(), state_, scratch_traits_of<P>(), names_, &largest);
            callbacks_.make([&] { events_.on(occurred, memory); });
        } else if constexpr (hbm::hears_events<Events>) {
            callbacks_.make([&] { events_.on(occurred); });
        }
    }
    constexpr void add([[maybe_unused]] event_kind what, [[maybe_unused]] block_index block,
                       [[maybe_unused]] std::uint64_t before) override {
        // Only noted here: the block is about to be freed, and its place and name would be gone when the event is
        // reported.
        if constexpr (hears_events) {
            event added{.what = what, .subject = block, .from = state_.reached.number};
            if (block != no_block) {
                added.label = static_cast<tag>(state_.blocks.map().owner(block));
                added.where = state_.where(block);
                added.from = before == 0 ? 0 : state_.bytes(static_cast<quanta>(before)) - added.where.size;
            }
            retired_.push_back(added);
        }
    }
    constexpr void report_retired() override {
        // After all frees of a call, so that an observer that looks at the memory sees it as it is then.
        if constexpr (hears_events) {
            for (const event& occurred : retired_) on(occurred);
            retired_.clear();
        }
    }
    [[nodiscard]] constexpr std::uint64_t credit([[maybe_unused]] const program_record& record,
                                                 [[maybe_unused]] std::uint64_t now) const override {
        if constexpr (gives_credit<Eviction>)
            return eviction_.credit(record, now);
        else
            return record.credit;
    }
    constexpr void evicted([[maybe_unused]] const program_record& record) override {
        if constexpr (learns_from_evictions<Eviction>) eviction_.evicted(record);
    }
    constexpr void relieved([[maybe_unused]] const plan& steps) override {
        if constexpr (learns_from_relief<Relief>) relief_.relieved(steps);
    }

private:
    const memory_state<P>& state_;
    const tag_names& names_;
    Eviction& eviction_;
    Relief& relief_;
    Device& device_;
    Events& events_;
    [[no_unique_address]] std::conditional_t<calls_out, callbacks, no_callbacks> callbacks_;
    [[no_unique_address]] std::conditional_t<hears_events, trivial_vector<event>, done> retired_;
    [[no_unique_address]] std::conditional_t<Plans, bound_relief<Eviction, Relief>, bound_to_wait> ways_;
};

}  // namespace hbm::inline v0::detail
