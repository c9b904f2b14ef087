// expect: a placement is a regular value
#include <hbm/hbm.hpp>

struct my_hole {
    using quanta = std::uint32_t;

    hbm::block_index find(const hbm::block_map<quanta>& map, const hbm::need<quanta>&) const { return map.first(); }
};

hbm::manager<my_hole> memory;
