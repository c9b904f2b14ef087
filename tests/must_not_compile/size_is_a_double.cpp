// expect: a size is a whole number of bytes
#include <hbm/hbm.hpp>

auto allocate(hbm::manager<hbm::best_fit>& memory) {
    return memory.allocate(1.5e9, "weights");
}
