// expect: a grid has its axes in this order
#include <hbm/grid.hpp>
#include <hbm/hbm.hpp>

using wrong = hbm::grid<hbm::evictions<hbm::evict_lru>, hbm::placements<hbm::best_fit>>;
