#pragma once

#include <cstdint>

namespace hbm {

/// How an explanation is made.
struct explain_options {
    /// How many looks at blocks the search for remedies may take. The number is never exceeded; what it does not
    /// suffice for is left out, and the explanation says so (`ended_by_effort`).
    std::uint64_t effort = 1'000'000;
};

}  // namespace hbm
