// expect: a relief policy chooses: std::optional<hbm::plan> choose(const hbm::planner&) const
#include <hbm/hbm.hpp>

struct my_relief {
    static constexpr hbm::fixed_string name{"my_relief"};

    template <class Planner>
    std::optional<hbm::plan> choose(const Planner& ways) {
        return ways.by_moving();
    }
    friend bool operator==(const my_relief&, const my_relief&) = default;
};

hbm::manager<hbm::compacting<hbm::best_fit>, hbm::never_evict, hbm::never_donate, my_relief> memory;
