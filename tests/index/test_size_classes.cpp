#include <hbm/index/size_classes.hpp>

#include <doctest/doctest.h>

namespace hbm::test::size_classes_tests {

using detail::size_classes;

TEST_CASE("size classes never fall and none is past the last") {
    using narrow = size_classes<std::uint32_t>;
    unsigned last = 0;
    for (std::uint32_t size = 1; size < 100000; ++size) {
        REQUIRE(narrow::of(size) >= last);
        REQUIRE(narrow::of(size) <= last + 1);
        last = narrow::of(size);
    }
    CHECK(narrow::of(~std::uint32_t{0}) == narrow::count - 1);
    CHECK(size_classes<std::uint64_t>::of(~std::uint64_t{0}) == size_classes<std::uint64_t>::count - 1);
    for (std::uint32_t size = 1; size < 64; ++size) CHECK(narrow::of(size) == size);  // exact below two doublings
}

}  // namespace hbm::test::size_classes_tests
