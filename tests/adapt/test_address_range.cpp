#include <hbm/adapt/address_range.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>

namespace hbm::test::address_range_tests {

TEST_CASE("a range knows what its base is aligned to, and a part of it can be aligned to more") {
    const memory_on_host memory(10'000, 64);
    const address_range range = memory.range();
    CHECK(range.alignment() == 64);
    CHECK(range.aligned_to(1) == range);
    CHECK(range.aligned_to(64) == range);
    const address_range part = range.aligned_to(1024);
    CHECK(part.alignment() >= 1024);
    CHECK(part.begin_address() + part.bytes == range.begin_address() + range.bytes);
    CHECK(part.begin_address() - range.begin_address() < 1024);
    CHECK(range.aligned_to(std::uint64_t{1} << 63).bytes == 0);
    CHECK(range.aligned_to(0).bytes == 0);
    CHECK(range.aligned_to(48).bytes == 0);
}

TEST_CASE("a range without a base is no memory, and none goes beyond the last address") {
    const address_range nowhere{nullptr, 1000};
    CHECK(nowhere.usable().bytes == 0);
    CHECK(nowhere.alignment() == 1);
    CHECK(nowhere.aligned_to(512).bytes == 0);
    const address_range last{reinterpret_cast<void*>(~std::uintptr_t{0} - 4095), ~std::uint64_t{0}};
    CHECK(last.usable().bytes == 4095);
}

}  // namespace hbm::test::address_range_tests
