// expect: a placement is made from a capacity in quanta: explicit P(quanta capacity)
#include <hbm/hbm.hpp>

struct my_hole {
    using quanta = std::uint32_t;

    hbm::block_index find(const hbm::block_map<quanta>& map, const hbm::need<quanta>&) const { return map.first(); }
};
struct my_fit : hbm::fit<my_hole> {
    static constexpr hbm::fixed_string name{"my_fit"};
};

hbm::manager<my_fit> memory;
