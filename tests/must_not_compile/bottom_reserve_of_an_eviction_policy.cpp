// expect: a placement names its width
#include <hbm/hbm.hpp>

hbm::manager<hbm::bottom_reserve<hbm::evict_lru>> memory;
