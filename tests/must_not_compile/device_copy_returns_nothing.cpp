// expect: copy is near but not right: bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t bytes)
#include <hbm/device/device.hpp>

struct my_device {
    static constexpr hbm::fixed_string name{"my_device"};

    void copy(std::uint64_t, std::uint64_t, std::uint64_t) {}
    friend bool operator==(const my_device&, const my_device&) = default;
};

static_assert(hbm::check_device<my_device>());
