// expect: a relief policy chooses: template <class Planner> std::optional<hbm::plan> choose(const Planner&) const
#include <hbm/relief/relief.hpp>

struct my_relief {
    static constexpr hbm::fixed_string name{"my_relief"};
    friend bool operator==(const my_relief&, const my_relief&) = default;
};

static_assert(hbm::check_relief<my_relief>());
