#include <hbm/placement/bfc.hpp>
#include <hbm/placement/buddy.hpp>

#include <cstdint>

#include "compare/managers/placements/make_drivers.hpp"

namespace hbm::compare {

placement_drivers buddy_drivers() {
    return make_drivers<basic_buddy<std::uint64_t>>();
}
placement_drivers bfc_drivers() {
    using blocks = basic_bfc<std::uint64_t>;
    return describe_drivers<blocks>(make_planning_drivers<blocks>(), {});
}

}  // namespace hbm::compare
