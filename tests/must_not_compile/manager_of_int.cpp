// expect: a placement has a name
#include <hbm/manager.hpp>

hbm::manager<int> memory;
