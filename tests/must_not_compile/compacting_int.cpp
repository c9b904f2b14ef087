// expect: placement<int>|constraint
#include <hbm/placement/compacting.hpp>

hbm::compacting<int> memory;
