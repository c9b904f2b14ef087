// expect: a manager is made from a memory_spec: {.capacity = bytes}
#include <hbm/hbm.hpp>

hbm::manager<hbm::best_fit> memory(1 << 20);
