#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/placement/lifetimes_learned.hpp>

#include <cstdint>

#include "compare/managers/placements/make_drivers.hpp"

// Placements that use or learn the lifetimes of blocks.

namespace hbm::compare {

using best = basic_best_fit<std::uint64_t>;

placement_drivers lifetimes_apart_drivers() {
    return make_drivers<lifetimes_apart<best>>();
}
placement_drivers lifetimes_learned_drivers() {
    return make_drivers<lifetimes_learned<lifetimes_apart<best>>>();
}

}  // namespace hbm::compare
