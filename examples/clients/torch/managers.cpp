#include "managers.hpp"

#include <vector>

#include "cpu_allocator.hpp"

namespace {

/// Tensors are allocated and freed; there are no programs to evict and no inputs to donate.
template <class Placement>
candidate candidate_of() {
    using plain = cpu_allocator<hbm::manager<Placement>>;
    using observed = cpu_allocator<
        hbm::manager<Placement, hbm::never_evict, hbm::never_donate, hbm::relieve_cheapest, hbm::no_device, occupancy>>;
    return {.name = Placement::name.c_str(),
            .plain = &plain::instance(),
            .observed = &observed::instance(),
            .held =
                [] {
                    return holdings{plain::instance().live_blocks() + observed::instance().live_blocks(),
                                    plain::instance().wrong_frees() + observed::instance().wrong_frees()};
                },
            .seen = [] { return observed::instance().seen(); }};
}

}  // namespace

std::span<const candidate> candidates() {
    static const std::vector<candidate> all{
        {.plain = c10::GetDefaultCPUAllocator(), .observed = c10::GetDefaultCPUAllocator()},
        candidate_of<hbm::best_fit>(),
        candidate_of<hbm::good_fit>(),
        candidate_of<hbm::buddy>(),
        candidate_of<hbm::bottom_reserve<hbm::best_fit>>(),
        candidate_of<hbm::lifetimes_learned<hbm::lifetimes_apart<hbm::good_fit>>>()};
    return all;
}
