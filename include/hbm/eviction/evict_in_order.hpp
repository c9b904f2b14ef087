#pragma once

#include <hbm/eviction/eviction.hpp>

namespace hbm {

/// The lowest score goes first, one at a time, until the request fits; whoever went in vain stays.
template <score Score>
struct evict_in_order : Score {
    static constexpr auto name = fixed_string{"evict_in_order<"} + Score::name + fixed_string{">"};
    static constexpr victims choice = victims::one_at_a_time;

    friend constexpr bool operator==(const evict_in_order&, const evict_in_order&) = default;
};

}  // namespace hbm
