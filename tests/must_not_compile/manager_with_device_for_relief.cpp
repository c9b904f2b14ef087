// expect: the fourth policy is a device; the order is placement, eviction, donation, relief, device, observer
#include <hbm/hbm.hpp>

hbm::manager<hbm::best_fit, hbm::never_evict, hbm::never_donate, hbm::host_device> memory;
