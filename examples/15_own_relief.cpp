// A relief policy of your own: blocks move only while that is quick; after that, programs are evicted.
#include <hbm/hbm.hpp>

#include <cstdio>

// 1. The planner finds the ways to make room, the policy picks one. None: the call fails and nothing changes.
struct move_if_quick {
    static constexpr hbm::fixed_string name{"move_if_quick"};
    std::uint64_t most_nanoseconds = 1'000'000;  // parameters are values, not types
    template <class Planner>
    constexpr std::optional<hbm::plan> choose(const Planner& ways) const {
        std::optional<hbm::plan> moving = ways.after_few_waits(&Planner::by_moving);
        if (moving && moving->nanoseconds <= most_nanoseconds) return moving;
        return ways.after_few_waits(&Planner::by_evicting);
    }
    friend bool operator==(const move_if_quick&, const move_if_quick&) = default;
};
static_assert(hbm::check_relief<move_if_quick>());  // 2. Says in words what is missing or near but not right.

int main() {  // 3. The fourth policy of a manager. 4. Compare it with the shipped ones: example 06.
    std::uint64_t moves[2] = {};
    for (const unsigned quick : {0u, 1u}) {
        hbm::manager<hbm::compacting<hbm::best_fit>, hbm::evict_lru, hbm::never_donate, move_if_quick> memory{
            {.capacity = 8 * 512}, {.relief = {.most_nanoseconds = quick * 1'000'000u}}};
        const auto hole = memory.allocate(2 * 512), wall = memory.allocate(512);
        if (!hole || !wall || !memory.load({.code = 3 * 512}) || !memory.free(*hole)) return 1;
        if (!memory.allocate(4 * 512)) return 1;
        moves[quick] = memory.done_so_far().moves;
    }
    std::printf("%u moves if there is time, otherwise %u\n", unsigned(moves[1]), unsigned(moves[0]));
    return moves[0] == 0 && moves[1] > 0 ? 0 : 1;
}
