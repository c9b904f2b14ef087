// expect: a relief policy is told which plan was carried out: void relieved(const hbm::plan&)
#include <hbm/relief/relief.hpp>

struct my_relief {
    static constexpr hbm::fixed_string name{"my_relief"};

    template <class Planner>
    std::optional<hbm::plan> choose(const Planner& ways) const {
        return ways.cheapest().found;
    }
    void relieved(std::uint64_t nanoseconds) { spent += nanoseconds; }
    friend bool operator==(const my_relief&, const my_relief&) = default;

    std::uint64_t spent = 0;
};

static_assert(hbm::check_relief<my_relief>());
