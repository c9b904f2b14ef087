// expect: placement<int>|constraint
#include <hbm/manager.hpp>

hbm::manager<int> memory;
