#pragma once

#include <hbm/relief/relief.hpp>

namespace hbm::inline v0 {

/// The null policy: a request fails if waiting is not enough; no moves, no evictions. No state, no cost.
struct never_relieve {
    static constexpr fixed_string name{"never_relieve"};

    friend constexpr bool operator==(const never_relieve&, const never_relieve&) = default;
};

static_assert(relief<never_relieve>);

}  // namespace hbm::inline v0
