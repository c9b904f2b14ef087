// expect: unload is for programs: a buffer ends with free
#include <hbm/hbm.hpp>

void unload(hbm::manager<hbm::best_fit>& memory, hbm::buffer held) {
    memory.unload(held);
}
