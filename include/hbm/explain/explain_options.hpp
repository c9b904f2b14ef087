#pragma once

#include <hbm/explain/message.hpp>

#include <cstdint>

namespace hbm::inline v0 {

struct explain_options {
    /// The limit of block visits in the search for remedies. Work that does not fit is skipped (`ended_by_effort`).
    std::uint64_t effort = 1'000'000;
    bool blocks_stay = false;  ///< the manager's relief policy moves no blocks, although its placement permits it
    failure_place place = {};  ///< place of the failure, for its message
};

}  // namespace hbm::inline v0
