#include <hbm/core/size_classes.hpp>

#include <doctest/doctest.h>

#include <set>

namespace hbm::test {

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

TEST_CASE("an occupied set finds its next and its largest member") {
    occupied_set<1920> numbers;
    std::set<unsigned> plain;
    CHECK(numbers.largest() == numbers.none);
    CHECK(numbers.at_least(0) == numbers.none);
    for (unsigned i = 0; i < 4000; ++i) {
        const unsigned number = i * 7919u % 1920u;
        if (i % 3 == 2)
            numbers.erase(number), plain.erase(number);
        else
            numbers.insert(number), plain.insert(number);
        const unsigned from = i * 31u % 2000u;
        const auto next = plain.lower_bound(from);
        REQUIRE(numbers.at_least(from) == (next == plain.end() ? numbers.none : *next));
        REQUIRE(numbers.largest() == (plain.empty() ? numbers.none : *plain.rbegin()));
    }
}

}  // namespace hbm::test
