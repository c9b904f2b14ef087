#pragma once

#include <hbm/events/events.hpp>

#include <vector>

namespace hbm {

/// Keeps every event, in order.
struct event_log {
    static constexpr fixed_string name{"event_log"};

    std::vector<event> events;

    /// O(1) amortised; allocates on the host now and then.
    constexpr void on(const event& e) { events.push_back(e); }

    friend constexpr bool operator==(const event_log&, const event_log&) = default;
};

static_assert(observer<event_log> && hears_events<event_log>);

}  // namespace hbm
