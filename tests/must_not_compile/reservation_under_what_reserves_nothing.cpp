// expect: scratch stays where it is: both placements reserve at the bottom, or neither does
#include <hbm/hbm.hpp>

using reserving = hbm::manager<hbm::bottom_reserve<hbm::best_fit>>;

auto without(const reserving& memory) {
    return memory.under<hbm::manager<hbm::best_fit>>();
}
