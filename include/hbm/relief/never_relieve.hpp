#pragma once

#include <hbm/relief/relief.hpp>

namespace hbm {

/// Nothing is moved and nobody evicted: what does not fit after all waiting fails. The null policy: no state, no cost.
struct never_relieve {
    static constexpr fixed_string name{"never_relieve"};

    friend constexpr bool operator==(const never_relieve&, const never_relieve&) = default;
};

static_assert(relief<never_relieve>);

}  // namespace hbm
