#include <hbm/device/device.hpp>
#include <hbm/device/host_device.hpp>

#include <doctest/doctest.h>

namespace hbm::test::host_device_tests {

TEST_CASE("copies may touch but not overlap") {
    for (const std::uint64_t to : {0u, 4u, 12u, 16u}) {
        host_device device(24);
        for (std::uint64_t i = 0; i < 4; ++i) device.bytes(8 + i, 1)[0] = static_cast<std::byte>(i + 1);
        CHECK(device.copy(to, 8, 4));
        for (std::uint64_t i = 0; i < 4; ++i) CHECK(device.bytes(to + i, 1)[0] == static_cast<std::byte>(i + 1));
    }
    host_device device(24);
    for (std::uint64_t i = 0; i < 4; ++i) device.bytes(8 + i, 1)[0] = static_cast<std::byte>(i + 1);
    const host_device before = device;
    for (const std::uint64_t to : {5u, 7u, 8u, 9u, 11u}) CHECK_FALSE(device.copy(to, 8, 4));
    CHECK(device == before);
    CHECK(device.copy(8, 8, 0));
}

TEST_CASE("what lies outside the memory is refused and nothing is done") {
    host_device device(16);
    const host_device before = device;
    CHECK_FALSE(device.copy(10, 0, 7));
    CHECK_FALSE(device.copy(0, 10, 7));
    CHECK_FALSE(device.copy(0, ~std::uint64_t{0}, 2));
    CHECK_FALSE(device.copy(0, 2, ~std::uint64_t{0}));
    CHECK(device == before);
    CHECK(device.copy(0, 16, 0));
    CHECK(device.bytes(16, 0).empty());
    CHECK(device.bytes(15, 2).empty());
    CHECK(device.bytes(15, 1).size() == 1);
}

struct copies_wrongly {
    static constexpr fixed_string name{"copies_wrongly"};
    void copy(std::uint64_t, std::uint64_t, std::uint64_t) {}
    friend bool operator==(const copies_wrongly&, const copies_wrongly&) = default;
};
static_assert(device<no_device> && !copies<no_device>);
static_assert(device<host_device> && copies<host_device>);
static_assert(!device<int> && !device<copies_wrongly>);

TEST_CASE("a device is checked by its contract") {
    CHECK(check_device<host_device>());
}

}  // namespace hbm::test::host_device_tests
