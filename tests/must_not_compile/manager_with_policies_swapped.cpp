// expect: the second policy is a donation policy; the order is placement, eviction, donation, relief, device, observer
#include <hbm/hbm.hpp>

hbm::manager<hbm::best_fit, hbm::donate_same_size, hbm::evict_lru> memory;
