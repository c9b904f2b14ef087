#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>

#include <cstdint>

#include "compare/managers/placements/make_drivers.hpp"

namespace hbm::compare {

placement_drivers first_fit_drivers() {
    return make_drivers<basic_first_fit<std::uint64_t>>();
}
placement_drivers good_fit_drivers() {
    return make_drivers<basic_good_fit<std::uint64_t>>();
}

}  // namespace hbm::compare
