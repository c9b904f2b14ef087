// compiles
#include <hbm/hbm.hpp>

using namespace hbm::literals;

template <class Memory>
bool fill(Memory& memory) {
    return memory.allocate(6_GiB, "weights").has_value() && memory.allocate(0.5_GiB).has_value();
}
template bool fill(hbm::manager<hbm::best_fit>&);
