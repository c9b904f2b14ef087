/// The memory that a workload occupies when the capacity is unlimited.

#include <cstdio>

#include "micro/peers.hpp"
#include "micro/replay.hpp"
#include "micro/sections.hpp"

namespace hbm::micro {

namespace {

/// Managers have the footprint of their placements. What also places blocks at the top of memory has no footprint.
template <class P>
inline constexpr bool has_footprint = P::keeps != promise::from_the_top&& P::keeps != promise::smallest_at_an_end;
template <class Manager>
inline constexpr bool has_footprint<manager_peer<Manager>> = false;

/// The highest end ever occupied, divided by the peak of live quanta.
template <peer P>
double footprint(const workload& load) {
    player<P> playing(load, load.ample_capacity());
    return static_cast<double>(playing.highest_end(load.operations)) / static_cast<double>(load.peak_quanta);
}

}  // namespace

bool report_footprint(catalogue& workloads) {
    std::printf("Footprint: the highest end of a block over the peak live quanta, in an arena of at least four times "
                "the peak\n");
    std::printf("%-20s", "workload");
    for_each(whole_size_peers{}, [&]<class P>(std::type_identity<P>) {
        if constexpr (has_footprint<P>) std::printf(" %20s", P::name.c_str());
    });
    std::printf("\n");
    for (std::size_t at = 0; at < workloads.size(); ++at) {
        const workload& load = workloads[at];
        std::printf("%-20s", load.name.c_str());
        for_each(whole_size_peers{}, [&]<class P>(std::type_identity<P>) {
            if constexpr (has_footprint<P>) std::printf(" %20.4f", footprint<P>(load));
        });
        std::printf("\n");
    }
    std::printf("\n");
    return true;
}

}  // namespace hbm::micro
