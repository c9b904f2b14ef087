// A relief policy of your own: blocks move only while that is quick; after that, programs are evicted.
#include <hbm/hbm.hpp>

#include <cstdio>

// 1. The planner finds the ways to make room, the policy picks one. None: the call fails and nothing changes.
struct move_if_quick {
    static constexpr hbm::fixed_string name{"move_if_quick"};
    std::uint64_t most_nanoseconds = 1'000'000;  // parameters are values, not types
    constexpr std::optional<hbm::plan> choose(const hbm::planner& ways) const {
        std::optional<hbm::plan> moving = ways.after_few_waits(&hbm::planner::by_moving);
        if (moving && moving->nanoseconds <= most_nanoseconds) return moving;
        if (auto evicting = ways.after_few_waits(&hbm::planner::by_evicting)) return evicting;
        return moving ? moving : ways.after_few_waits(&hbm::planner::by_both);  // what can be helped does not fail
    }
    friend bool operator==(const move_if_quick&, const move_if_quick&) = default;
};
static_assert(hbm::check_relief<move_if_quick>());  // 2. Says in words what is missing or near but not right.
using my_memory = hbm::manager<hbm::compacting<hbm::best_fit>, hbm::evict_lru, hbm::never_donate, move_if_quick>;
int main() {  // 3. The fourth policy of a manager. 4. Compare it with the shipped ones: example 06.
    for (const unsigned most : {0u, 1'000'000u}) {
        my_memory memory{{.capacity = 8 * 512}, {.relief = {.most_nanoseconds = most}}};
        const auto hole = memory.allocate(2 * 512), wall = memory.allocate(512);
        if (!hole || !wall || !memory.load({.code = 3 * 512}) || !memory.free(*hole)) return 1;
        if (!memory.allocate(4 * 512) || (memory.done_so_far().moves > 0) != (most > 0)) return 1;
        std::printf("%s\n", most > 0 ? "moved" : "evicted");
    }
    return 0;
}
