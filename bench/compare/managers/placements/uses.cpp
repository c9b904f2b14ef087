#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/placement/lifetimes_learned.hpp>

#include <cstdint>

#include "compare/managers/placements/make_drivers.hpp"

// Placements that know or learn something of blocks.

namespace hbm::compare {

using best = basic_best_fit<std::uint64_t>;

placement_drivers free_together_drivers() {
    placement_drivers made = make_drivers<free_together<best>>();
    // Unlimited memory, in which it places from the bottom, has `unlimited` quanta only at this width.
    using narrow = free_together<basic_best_fit<std::uint32_t>>;
    made.narrow = make_planning_drivers<narrow, compacting<narrow>>();
    return made;
}
placement_drivers lifetimes_apart_drivers() {
    return make_drivers<lifetimes_apart<best>>();
}
placement_drivers lifetimes_learned_drivers() {
    return make_drivers<lifetimes_learned<lifetimes_apart<best>>>();
}

}  // namespace hbm::compare
