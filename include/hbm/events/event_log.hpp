#pragma once

#include <hbm/core/trivial_vector.hpp>
#include <hbm/events/events.hpp>

namespace hbm::inline v0 {

struct event_log {
    static constexpr fixed_string name{"event_log"};

    trivial_vector<event> events;

    /// Cost: O(1) amortised; may allocate on the host.
    constexpr void on(const event& e) { events.push_back(e); }

    friend constexpr bool operator==(const event_log&, const event_log&) = default;
};

static_assert(observer<event_log> && hears_events<event_log>);

}  // namespace hbm::inline v0
