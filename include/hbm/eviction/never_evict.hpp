#pragma once

#include <hbm/eviction/eviction.hpp>

namespace hbm::inline v0 {

/// The null policy: programs stay in memory until they are unloaded.
struct never_evict {
    static constexpr fixed_string name{"never_evict"};
    static constexpr victims choice = victims::none;

    friend constexpr bool operator==(const never_evict&, const never_evict&) = default;
};

static_assert(eviction<never_evict>);

}  // namespace hbm::inline v0
