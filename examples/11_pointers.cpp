// Pointers on a manager: raw ones, and a container of the standard library. What has a pointer is pinned; the manager
// moves the rest around it.
#include <hbm/adapt/memory_resource.hpp>
#include <hbm/device/host_device.hpp>
#include <hbm/hbm.hpp>

#include <cstdio>
#include <cstring>
#include <memory_resource>
#include <vector>

using namespace hbm::literals;

int main() {
    // `host_device` has the bytes of offset 0 and above. Elsewhere they come from mmap, or are mapped from a device.
    using placement = hbm::bottom_reserve<hbm::compacting<hbm::best_fit>>;
    hbm::manager<placement, hbm::never_evict, hbm::never_donate, hbm::relieve_cheapest, hbm::host_device> memory{
        {.capacity = 16_MiB}, {.device = hbm::host_device{16_MiB}}};
    void* const base = memory.device().bytes(0, 0).data();

    // A container holds pointers into its memory, so what it allocates never moves.
    hbm::addressed_resource resource{memory, base};
    std::pmr::vector<float> numbers(100'000, 0.5f, &resource);

    // Raw pointers. A wrong one is an error, and changes nothing.
    hbm::addressed pointers{memory, base};
    const auto batch = pointers.allocate(6_MiB, 16, "batch");
    const auto cache = pointers.allocate(4_MiB, 0, "cache");
    if (!batch || !cache) return 1;
    std::memset(*cache, 7, 4_MiB);
    pointers.deallocate(*batch);
    std::printf("freed twice: %s\n", hbm::error_name(pointers.deallocate(*batch).error().reason));
    const auto inside = pointers.deallocate(static_cast<char*>(*cache) + 512);
    if (inside) return 1;

    // 11 MiB are free, but not in one piece. Without its pointer the cache may move, with its bytes.
    if (pointers.allocate(10_MiB)) return 1;
    const auto movable = pointers.release(*cache);
    const auto large = pointers.allocate(10_MiB);
    if (!movable || !large) return 1;
    const auto moved = pointers.pointer_to(*movable);
    const bool intact = *moved != *cache && static_cast<const char*>(*moved)[4_MiB - 1] == 7 && numbers.back() == 0.5f;
    return intact ? 0 : 1;
}
