// expect: a hole index finds: block_index find(const hbm::block_map<quanta>&, const hbm::need<quanta>&) const
#include <hbm/hbm.hpp>

struct my_index {
    using quanta = std::uint32_t;
};
struct my_fit : hbm::fit<my_index> {
    using hbm::fit<my_index>::fit;
    static constexpr hbm::fixed_string name{"my_fit"};
};

hbm::manager<my_fit> memory;
