// expect: a mutex has void lock() and void unlock()
#include <hbm/adapt/synchronized.hpp>
#include <hbm/hbm.hpp>

hbm::synchronized<hbm::manager<hbm::best_fit>, int> memory;
