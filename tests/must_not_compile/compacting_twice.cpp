// expect: compacting<P> needs a placement whose blocks may not move yet: write it once
#include <hbm/hbm.hpp>

hbm::manager<hbm::compacting<hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>>> memory;
