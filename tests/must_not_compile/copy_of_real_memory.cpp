// expect: deleted
#include <hbm/hbm.hpp>

using with_bytes = hbm::manager<hbm::compacting<hbm::best_fit>, hbm::never_evict, hbm::never_donate,
                                hbm::relieve_cheapest, hbm::host_device>;

with_bytes copied(const with_bytes& memory) {
    return memory;
}
