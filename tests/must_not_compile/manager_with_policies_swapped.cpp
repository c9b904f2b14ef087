// expect: an eviction policy says how victims are picked
#include <hbm/hbm.hpp>

hbm::manager<hbm::best_fit, hbm::donate_same_size, hbm::evict_lru> memory;
