// expect: a placement is a regular value
#include <hbm/hbm.hpp>

hbm::manager<const hbm::best_fit> memory;
