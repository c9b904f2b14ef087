#pragma once

#include <hbm/eviction/eviction.hpp>

namespace hbm::inline v0 {

/// Evicts programs in ascending order of their scores until the request fits. Unnecessary victims stay in memory.
template <class Score>
struct evict_in_order : Score {
    static_assert(check_score<Score>());

    static constexpr auto name = fixed_string{"evict_in_order<"} + Score::name + fixed_string{">"};
    static constexpr victims choice = victims::one_at_a_time;
};

}  // namespace hbm::inline v0
