// compiles
#include <hbm/hbm.hpp>

hbm::manager<hbm::best_fit, hbm::evict_lru, hbm::donate_same_size> memory;
