// expect: what act returns refers to the inside of the manager
#include <hbm/adapt/synchronized.hpp>
#include <hbm/hbm.hpp>

std::uint64_t free_bytes(hbm::synchronized<hbm::manager<hbm::best_fit>, hbm::no_mutex>& memory) {
    return memory.with([](auto& held) { return held.view(); }).free_bytes();
}
