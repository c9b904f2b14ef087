// expect: a placement has quanta (std::uint32_t or std::uint64_t)
#include <hbm/hbm.hpp>

struct my_hole {
    using quanta = std::uint16_t;

    hbm::block_index find(const hbm::block_map<quanta>& map, const hbm::need<quanta>&) const { return map.first(); }
};
struct my_fit : hbm::fit<my_hole> {
    using hbm::fit<my_hole>::fit;
    static constexpr hbm::fixed_string name{"my_fit"};
};

hbm::manager<my_fit> memory;
