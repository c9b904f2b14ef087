// expect: bottom_reserve<P> needs a placement that does not reserve yet: write it once
#include <hbm/hbm.hpp>

hbm::manager<hbm::bottom_reserve<hbm::compacting<hbm::bottom_reserve<hbm::best_fit>>>> memory;
