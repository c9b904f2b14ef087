#pragma once

#include <hbm/events/events.hpp>

namespace hbm::inline v0 {

/// The null observer: no state, no cost.
struct no_events {
    static constexpr fixed_string name{"no_events"};

    friend constexpr bool operator==(const no_events&, const no_events&) = default;
};

static_assert(observer<no_events> && !hears_events<no_events>);

}  // namespace hbm::inline v0
