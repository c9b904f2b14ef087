// expect: free is for buffers: a program ends with unload
#include <hbm/hbm.hpp>

// A program's handle frees no buffer.
void mix(hbm::manager<hbm::best_fit>& memory, hbm::program held) {
    memory.free(held);
}
