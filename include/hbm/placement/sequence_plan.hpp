#pragma once

/// A plan for a known sequence of requests: which request goes where. All numbers are quanta. Plans are made by
/// `hbm/pack/plan_sequence.hpp`, followed by `planned<P>`, and saved by `hbm/trace/plan_file.hpp`.

#include <hbm/core/trivial_vector.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm {

/// No event, no step and no place of a plan.
inline constexpr std::uint32_t no_event = ~std::uint32_t{0};

/// A request or a free of a step.
struct plan_event {
    static constexpr std::uint32_t free_bit = std::uint32_t{1} << 31;
    static constexpr std::uint32_t stays_bit = std::uint32_t{1} << 30;
    /// The largest size that a plan can hold.
    static constexpr std::uint32_t most = stays_bit - 1;
    /// A size as a plan holds it: `most` stands for all that are larger.
    [[nodiscard]] static constexpr std::uint32_t limited(std::uint64_t size) noexcept {
        return size < most ? static_cast<std::uint32_t>(size) : most;
    }

    std::uint32_t what = 0;            ///< the size, and the two bits: it is a free; the block outlives its step
    std::uint32_t offset = 0;          ///< of a request: where the block goes
    std::uint32_t partner = no_event;  ///< of a request: its free in this step, or, if the block outlives its step, the
                                       ///< first of further places for it; of a free: the request in this step
    std::uint32_t lower = no_event;    ///< of a request: the request whose block lies beneath; where to look first

    [[nodiscard]] constexpr bool is_free() const noexcept { return (what & free_bit) != 0; }
    [[nodiscard]] constexpr bool stays() const noexcept { return (what & stays_bit) != 0; }
    [[nodiscard]] constexpr std::uint32_t size() const noexcept { return what & most; }
    /// It is a request for so many quanta.
    [[nodiscard]] constexpr bool asks_for(std::uint64_t size) const noexcept { return (what & ~stays_bit) == size; }

    friend constexpr bool operator==(const plan_event&, const plan_event&) = default;
};

/// A step: events that come one after another, of one of the shapes that steps have.
struct plan_step {
    std::uint32_t first = 0;   ///< its first event
    std::uint32_t end = 0;     ///< the event after its last
    std::uint32_t height = 0;  ///< the highest end of a block in it
    std::uint32_t next = 0;    ///< the step that came after it most lately
    std::uint32_t alike = 0;   ///< the next step with the same events but for sizes, in a ring
    std::uint32_t likes = 1;   ///< how many steps the ring has

    friend constexpr bool operator==(const plan_step&, const plan_step&) = default;
};

/// A further place for a block that outlives its step, while the one before is still taken.
struct plan_place {
    std::uint32_t offset = 0;
    std::uint32_t next = no_event;

    friend constexpr bool operator==(const plan_place&, const plan_place&) = default;
};

/// An entry of a table from hashes to events.
struct plan_key {
    std::uint32_t hash = 0;
    std::uint32_t event = no_event;

    friend constexpr bool operator==(const plan_key&, const plan_key&) = default;
};

namespace plan_detail {

/// How many events are looked at to recognise where in the sequence a program is.
inline constexpr unsigned context_events = 24;
/// What the hash of a context is multiplied by for each event, and the same for events that leave it.
inline constexpr std::uint32_t context_factor = 0x9e3779b1;
[[nodiscard]] constexpr std::uint32_t factor_of_leaving() noexcept {
    std::uint32_t factor = 1;
    for (unsigned at = 0; at < context_events; ++at) factor *= context_factor;
    return factor;
}
/// Spreads the bits of a number (the finaliser of MurmurHash3, Appleby).
[[nodiscard]] constexpr std::uint32_t mixed(std::uint32_t bits) noexcept {
    bits = (bits ^ (bits >> 16U)) * 0x85ebca6b;
    bits = (bits ^ (bits >> 13U)) * 0xc2b2ae35;
    return bits ^ (bits >> 16U);
}
/// The number of an event in a context: its size, and whether it is a free.
[[nodiscard]] constexpr std::uint32_t in_context(std::uint32_t size, bool is_free) noexcept {
    return mixed(size | (is_free ? plan_event::free_bit : 0));
}
/// The hash of the beginning of a step, one event further: a request of a size, or a free of an event of this step,
/// counted from its first.
[[nodiscard]] constexpr std::uint32_t after_request(std::uint32_t prefix, std::uint32_t size) noexcept {
    return mixed(prefix * 31 + mixed(size));
}
[[nodiscard]] constexpr std::uint32_t after_free(std::uint32_t prefix, std::uint32_t place) noexcept {
    return mixed(prefix * 31 + mixed(~place) + 1);
}
/// The same for an event of a plan whose step begins with the event `first`.
[[nodiscard]] constexpr std::uint32_t after(std::uint32_t prefix, const plan_event& event,
                                            std::uint32_t first) noexcept {
    if (!event.is_free()) return after_request(prefix, event.size());
    return after_free(prefix, event.partner == no_event ? no_event : event.partner - first);
}
inline constexpr std::uint32_t no_prefix = 0x2545f491;

/// Where a hash is looked for first in a table of so many entries.
[[nodiscard]] constexpr std::size_t slot_of(std::uint32_t hash, std::size_t slots) noexcept {
    return static_cast<std::size_t>(std::uint64_t{hash} * slots >> 32U);
}

}  // namespace plan_detail

/// A plan that someone else holds: what `planned<P>` follows. It must outlive whoever follows it. Two are equal if they
/// are views of the same plan.
struct plan_view {
    const plan_event* events = nullptr;
    const plan_step* steps = nullptr;
    const plan_place* places = nullptr;
    const std::uint32_t* order = nullptr;  ///< the steps as they came
    const plan_key* beginnings = nullptr;  ///< from the hash of the beginning of a step to its last event
    const plan_key* contexts = nullptr;    ///< from the hash of some events in a row to the last of them
    std::uint32_t event_count = 0;
    std::uint32_t step_count = 0;
    std::uint32_t order_count = 0;
    std::uint32_t beginning_slots = 0;
    std::uint32_t context_slots = 0;
    std::uint32_t height = 0;  ///< the highest end of a block

    /// The event that a hash leads to, or `no_event`. O(1) on average.
    [[nodiscard]] static constexpr std::uint32_t find(const plan_key* table, std::uint32_t slots,
                                                      std::uint32_t hash) noexcept {
        if (slots == 0) return no_event;
        for (std::size_t at = plan_detail::slot_of(hash, slots); table[at].event != no_event;) {
            if (table[at].hash == hash) return table[at].event;
            if (++at == slots) at = 0;
        }
        return no_event;
    }

    friend constexpr bool operator==(const plan_view&, const plan_view&) = default;
};

namespace plan_detail {

/// The view of a plan, whatever its tables are held in.
template <class Plan>
[[nodiscard]] constexpr plan_view view_of(const Plan& plan, std::uint32_t height) noexcept {
    return {plan.events.data(),
            plan.steps.data(),
            plan.places.data(),
            plan.order.data(),
            plan.beginnings.data(),
            plan.contexts.data(),
            static_cast<std::uint32_t>(plan.events.size()),
            static_cast<std::uint32_t>(plan.steps.size()),
            static_cast<std::uint32_t>(plan.order.size()),
            static_cast<std::uint32_t>(plan.beginnings.size()),
            static_cast<std::uint32_t>(plan.contexts.size()),
            height};
}

}  // namespace plan_detail

/// A plan as a value. A plan for n requests has at most 72 n bytes, see `bytes`; `planned<P>` adds 16 n.
struct sequence_plan {
    trivial_vector<plan_event> events;
    trivial_vector<plan_step> steps;
    trivial_vector<plan_place> places;
    trivial_vector<std::uint32_t> order;
    trivial_vector<plan_key> beginnings;
    trivial_vector<plan_key> contexts;
    std::uint32_t height = 0;

    /// What it takes on the host. O(1).
    [[nodiscard]] constexpr std::size_t bytes() const noexcept {
        return events.size() * sizeof(plan_event) + steps.size() * sizeof(plan_step) +
               places.size() * sizeof(plan_place) + order.size() * sizeof(std::uint32_t) +
               (beginnings.size() + contexts.size()) * sizeof(plan_key);
    }
    /// To follow it.
    [[nodiscard]] constexpr plan_view view() const noexcept { return plan_detail::view_of(*this, height); }
    constexpr operator plan_view() const noexcept { return view(); }

    friend constexpr bool operator==(const sequence_plan&, const sequence_plan&) = default;
};

}  // namespace hbm
