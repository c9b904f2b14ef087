// Compacts in the idle time between two steps: a limited number of bytes per call, until free memory is in as few holes
// as possible.
#include <hbm/compact.hpp>
#include <hbm/hbm.hpp>

#include <cstdio>
#include <vector>

using namespace hbm::literals;

int main() {
    hbm::tpu::runtime_memory memory{hbm::tpu::v5e};
    std::vector<hbm::buffer> caches;
    for (int i = 0; i < 12; ++i) {
        const auto cache = memory.allocate(1_GiB, "cache");
        if (!cache) return 1;
        caches.push_back(*cache);
    }
    for (std::size_t i = 0; i < caches.size(); i += 2) memory.free(caches[i]);  // every second request is finished
    const std::uint64_t before = memory.largest_free_bytes();

    // 256 MiB per call. A cache is longer than that and moves in parts. Between two calls it is in two places, which
    // `pieces` returns, and the manager can be used as usual.
    int calls = 0;
    std::uint64_t nanoseconds = 0;
    hbm::compaction found;
    do {
        found = memory.compact(256_MiB);
        if (found.moved == 0 && !found.done()) return 1;  // the device failed, or a jump needs a larger budget
        nanoseconds += found.nanoseconds;
        ++calls;
    } while (!found.done());
    std::printf("the longest free run is %.2f GiB instead of %.2f after %d calls and %.1f ms\n",
                static_cast<double>(memory.largest_free_bytes()) / 0x1p30, static_cast<double>(before) / 0x1p30, calls,
                static_cast<double>(nanoseconds) / 1e6);
    return memory.largest_free_bytes() == memory.free_bytes() ? 0 : 1;
}
