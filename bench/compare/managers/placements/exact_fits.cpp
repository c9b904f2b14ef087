#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>

#include <cstdint>

#include "compare/managers/placements/make_drivers.hpp"

namespace hbm::compare {

placement_drivers best_fit_drivers() {
    return make_drivers<basic_best_fit<std::uint64_t>>();
}
placement_drivers best_fit_lifo_drivers() {
    return make_drivers<basic_best_fit_lifo<std::uint64_t>>();
}

}  // namespace hbm::compare
