// expect: stands a type that is no placement
#include <hbm/grid.hpp>
#include <hbm/hbm.hpp>

using wrong = hbm::grid<hbm::placements<hbm::best_fit, hbm::evict_lru>>;
