// expect: an eviction policy says how victims are picked: static constexpr hbm::victims choice
#include <hbm/hbm.hpp>

struct my_eviction {
    static constexpr hbm::fixed_string name{"my_eviction"};
    hbm::victims choice = hbm::victims::window;

    std::uint64_t score(const hbm::program_record&, std::uint64_t) const { return 0; }
    friend bool operator==(const my_eviction&, const my_eviction&) = default;
};

hbm::manager<hbm::best_fit, my_eviction> memory;
