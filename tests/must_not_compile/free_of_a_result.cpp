// expect: a result is no value yet: test it, then take the value with *
#include <hbm/hbm.hpp>

void free(hbm::manager<hbm::best_fit>& memory) {
    auto held = memory.allocate(1);
    memory.free(held);
}
