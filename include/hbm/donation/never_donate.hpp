#pragma once

#include <hbm/donation/donation.hpp>

namespace hbm::inline v0 {

/// The null policy: donated inputs are freed after the run, and every output is allocated.
struct never_donate {
    static constexpr fixed_string name{"never_donate"};

    friend constexpr bool operator==(const never_donate&, const never_donate&) = default;
};

static_assert(donation<never_donate> && !donates<never_donate>);

}  // namespace hbm::inline v0
