// expect: choose is near but not right
#include <hbm/hbm.hpp>

struct my_donation {
    static constexpr hbm::fixed_string name{"my_donation"};

    template <class Offered>
    std::size_t choose(const Offered&, std::uint64_t) {
        return 0;
    }
    friend bool operator==(const my_donation&, const my_donation&) = default;
};

hbm::manager<hbm::best_fit, hbm::never_evict, my_donation> memory;
