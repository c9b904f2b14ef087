// expect: on is near but not right: void on(const hbm::event&)
#include <hbm/hbm.hpp>

struct my_observer {
    static constexpr hbm::fixed_string name{"my_observer"};

    void on(hbm::event_kind) {}
    friend bool operator==(const my_observer&, const my_observer&) = default;
};

using hearing = hbm::observers<hbm::statistics, my_observer>;
hbm::manager<hbm::best_fit, hbm::never_evict, hbm::never_donate, hbm::relieve_cheapest, hbm::no_device, hearing> memory;
