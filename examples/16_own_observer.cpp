// An observer of your own: how many requests failed although enough was free, that is, by fragmentation?
#include <hbm/events/observers.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/hbm.hpp>

#include <cstdio>

// 1. `on` receives each event after it happened; with a second parameter it also receives the memory as it is then.
struct count_fragmented {
    static constexpr hbm::fixed_string name{"count_fragmented"};
    unsigned failed = 0, fragmented = 0;
    constexpr void on(const hbm::event& event, const auto& memory) {
        if (event.what != hbm::event_kind::failed) return;
        ++failed;
        if (memory.free_bytes() >= event.where.size) ++fragmented;
    }
    friend bool operator==(const count_fragmented&, const count_fragmented&) = default;
};
static_assert(hbm::check_observer<count_fragmented>());  // 2. Says in words what is missing.
// 3. The last policy of a manager, next to others: `observers`.
using observing = hbm::observers<count_fragmented, hbm::statistics>;
int main() {
    hbm::manager<hbm::best_fit, hbm::never_evict, hbm::never_donate, hbm::relieve_cheapest, hbm::no_device, observing>
        memory{{.name = "small", .capacity = 4 * 512}};
    const auto first = memory.allocate(512), second = memory.allocate(512), third = memory.allocate(512);
    if (!first || !second || !third || !memory.free(*second)) return 1;
    const bool apart = !memory.allocate(2 * 512), too_large = !memory.allocate(3 * 512);
    const count_fragmented& counted = memory.events().get<count_fragmented>();
    std::printf("%u of %u failures by fragmentation\n", counted.fragmented, counted.failed);
    return apart && too_large && counted.failed == 2 && counted.fragmented == 1 ? 0 : 1;
}
