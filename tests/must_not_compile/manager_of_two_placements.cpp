// expect: the second policy is a placement; the order is
#include <hbm/hbm.hpp>

hbm::manager<hbm::best_fit, hbm::best_fit> memory;
