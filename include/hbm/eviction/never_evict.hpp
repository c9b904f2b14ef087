#pragma once

#include <hbm/eviction/eviction.hpp>

namespace hbm {

/// The null policy: programs stay in memory until they are unloaded.
struct never_evict {
    static constexpr fixed_string name{"never_evict"};
    static constexpr victims choice = victims::none;

    friend constexpr bool operator==(const never_evict&, const never_evict&) = default;
};

static_assert(eviction<never_evict>);

}  // namespace hbm
