// expect: a relief policy chooses: std::optional<hbm::plan> choose(const hbm::planner&) const
#include <hbm/relief/relief.hpp>

struct my_relief {
    static constexpr hbm::fixed_string name{"my_relief"};

    bool choose(const hbm::planner&) const { return false; }
    friend bool operator==(const my_relief&, const my_relief&) = default;
};

static_assert(hbm::check_relief<my_relief>());
