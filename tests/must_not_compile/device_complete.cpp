// compiles
#include <hbm/device/device.hpp>

struct my_device {
    static constexpr hbm::fixed_string name{"my_device"};

    bool copy(std::uint64_t, std::uint64_t, std::uint64_t) { return true; }
    friend bool operator==(const my_device&, const my_device&) = default;
};

static_assert(hbm::check_device<my_device>());
