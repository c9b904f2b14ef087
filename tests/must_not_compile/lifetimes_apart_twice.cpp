// expect: lifetimes_apart<P> needs a placement that does not keep lifetimes apart yet
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/lifetimes_apart.hpp>

hbm::lifetimes_apart<hbm::lifetimes_apart<hbm::best_fit>> memory;
