#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/free_together.hpp>

#include <cstdint>

#include "compare/managers/placements/make_drivers.hpp"

namespace hbm::compare {

placement_drivers free_together_drivers() {
    return make_drivers<free_together<basic_best_fit<std::uint64_t>>>();
}

}  // namespace hbm::compare
