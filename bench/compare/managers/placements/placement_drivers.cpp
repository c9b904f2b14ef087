#include "compare/managers/placements/placement_drivers.hpp"

#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

#include <cstdint>

#include "compare/managers/placements/make_drivers.hpp"

namespace hbm::compare {

namespace {

using best = basic_best_fit<std::uint64_t>;

}  // namespace

placement_drivers best_fit_drivers() {
    return make_drivers<best>();
}
placement_drivers best_fit_lifo_drivers() {
    return make_drivers<basic_best_fit_lifo<std::uint64_t>>();
}
placement_drivers first_fit_drivers() {
    return make_drivers<basic_first_fit<std::uint64_t>>();
}
placement_drivers good_fit_drivers() {
    return make_drivers<basic_good_fit<std::uint64_t>>();
}
placement_drivers buddy_drivers() {
    return make_drivers<basic_buddy<std::uint64_t>>();
}
placement_drivers bfc_drivers() {
    using blocks = basic_bfc<std::uint64_t>;
    return describe_drivers<blocks>(make_planning_drivers<blocks>(), {});
}
placement_drivers free_together_drivers() {
    return make_drivers<free_together<best>>();
}
placement_drivers lifetimes_apart_drivers() {
    return make_drivers<lifetimes_apart<best>>();
}

}  // namespace hbm::compare
