// expect: lifetimes_learned<P> needs a placement to which lifetimes matter: lifetimes_apart<...>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/lifetimes_learned.hpp>

hbm::lifetimes_learned<hbm::best_fit> memory;
