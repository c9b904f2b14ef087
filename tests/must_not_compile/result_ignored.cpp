// expect: nodiscard
#include <hbm/hbm.hpp>
#pragma GCC diagnostic error "-Wunused-result"

// Memory that nobody can free.
void leak(hbm::manager<hbm::best_fit>& memory) {
    memory.allocate(1);
}
