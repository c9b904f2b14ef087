#pragma once

/// Result of an audited replay.

#include <hbm/testing/event_audit.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::compare {

/// Result of an audited replay.
struct audited_replay {
    std::uint64_t events = 0;  ///< number of events that were checked
    std::size_t row = 0;       ///< row after which the rule was broken, from 1
    testing::broken_rule broken;
};

}  // namespace hbm::compare
