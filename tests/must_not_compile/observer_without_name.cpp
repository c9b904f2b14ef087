// expect: an observer has a name: static constexpr hbm::fixed_string name
#include <hbm/events/events.hpp>

struct my_observer {
    void on(const hbm::event&) {}
    friend bool operator==(const my_observer&, const my_observer&) = default;
};

static_assert(hbm::check_observer<my_observer>());
