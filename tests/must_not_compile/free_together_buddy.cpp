// expect: free_together<P> needs a placement that can take either end of a hole: one made of hbm::fit
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/free_together.hpp>

hbm::free_together<hbm::buddy> memory(64);
