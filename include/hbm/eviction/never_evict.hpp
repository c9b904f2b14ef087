#pragma once

#include <hbm/eviction/eviction.hpp>

namespace hbm {

/// Never evicts: programs stay in memory until they are unloaded. The null policy: no state, no cost.
struct never_evict {
    static constexpr fixed_string name{"never_evict"};
    static constexpr victims choice = victims::none;

    friend constexpr bool operator==(const never_evict&, const never_evict&) = default;
};

static_assert(eviction<never_evict>);

}  // namespace hbm
