// The first steps: choose a placement, make a manager for a device, allocate, read figures, free.
#include <hbm/hbm.hpp>

#include <cstdio>

using namespace hbm::literals;

int main() {
    hbm::manager<hbm::best_fit> memory{hbm::tpu::v5e};  // 15.75 GiB, in quanta of 512 bytes

    const auto weights = memory.allocate(6_GiB, "weights");
    const auto cache = memory.allocate(2_GiB, "cache");
    const auto batch = memory.allocate(1000, "batch");  // rounded up to the quantum
    if (!weights || !cache || !batch) return 1;

    for (const hbm::block_view& block : memory.blocks()) {
        std::printf("%-8s at %11llu, %11llu bytes\n", memory.name_of(static_cast<hbm::tag>(block.owner)),
                    static_cast<unsigned long long>(block.where.offset),
                    static_cast<unsigned long long>(block.granted));
    }

    // Freeing leaves a hole. Enough bytes are free, but no free run is long enough: that is fragmentation.
    memory.free(*cache);
    const auto too_large = memory.allocate(9_GiB, "too large");
    if (too_large) return 1;
    std::printf("9 GiB does not fit: %llu bytes is free, the longest run has %llu\n",
                static_cast<unsigned long long>(too_large.error().free),
                static_cast<unsigned long long>(too_large.error().largest_free));

    // A stale handle is an error.
    if (memory.free(*cache).error().reason != hbm::error::stale_handle) return 1;

    const bool as_expected = memory.granted(*batch) == 1024 && memory.live_bytes() == 6_GiB + 1024 &&
                             too_large.error().free == memory.free_bytes();
    return as_expected ? 0 : 1;
}
