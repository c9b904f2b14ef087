#include <hbm/explain/words.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <random>
#include <string>

#include "compare/text/rounded_size.hpp"

namespace hbm::test::rounded_size_tests {

namespace {

using hbm::imported::read_rounded_size;
using hbm::imported::rounded_size;

constexpr std::uint64_t max = ~std::uint64_t{0};

TEST_CASE("whole numbers and sizes in B are exact") {
    for (const char* text : {"512", "512B", "512 bytes"}) {
        CAPTURE(text);
        REQUIRE(read_rounded_size(text));
        CHECK(*read_rounded_size(text) == rounded_size{512, 512, 512});
        CHECK(read_rounded_size(text)->is_exact());
    }
    CHECK(*read_rounded_size("0B") == rounded_size{0, 0, 0});
    CHECK(*read_rounded_size("18446744073709551615") == rounded_size{max, max, max});
}

TEST_CASE("a size with a unit stands for all sizes within half a unit of its last digit") {
    CHECK(*read_rounded_size("4.0K") == rounded_size{4096, 4045, 4147});
    CHECK(*read_rounded_size("4.0KiB") == rounded_size{4096, 4045, 4147});
    const rounded_size half_a_mebi = *read_rounded_size("0.50M");
    CHECK(half_a_mebi.bytes == 524'288);
    CHECK(half_a_mebi.low == 519'046);           // 0.495 x 2^20 = 519045.12
    CHECK(half_a_mebi.high == 529'530 + 1'023);  // 0.505 x 2^20 = 529530.88, and what a division by 1024 drops
    CHECK(!half_a_mebi.is_exact());
    CHECK(read_rounded_size("231.45MiB")->bytes == 242'692'915);
    CHECK(read_rounded_size("530.00M")->bytes == 530 * 1024 * 1024);
    CHECK(read_rounded_size("3G")->low == std::uint64_t{5} << 29U);
}

TEST_CASE("every size lies within the bounds of its own text") {
    std::mt19937_64 random{7};
    for (int round = 0; round < 20'000; ++round) {
        const std::uint64_t bytes = random() >> (random() % 64);
        const std::string text = hbm::size_in_words(bytes);
        CAPTURE(bytes);
        CAPTURE(text);
        const auto read = read_rounded_size(text);
        REQUIRE(read);
        CHECK(read->low <= bytes);
        CHECK(bytes <= read->high);
        CHECK(read->low <= read->bytes);
        CHECK(read->bytes <= read->high);
    }
}

TEST_CASE("near 2^64 the upper bound ends at the largest number") {
    const auto read = read_rounded_size(hbm::size_in_words(max));
    REQUIRE(read);
    CHECK(read->bytes == max);
    CHECK(read->high == max);
    CHECK(read->low < max);
    CHECK(!read_rounded_size("17.00E"));
    CHECK(!read_rounded_size("18446744073709551616"));
    CHECK(!read_rounded_size("99999999999999999999999999G"));
}

TEST_CASE("read_rounded_size: reads GB as GiB, with or without a blank") {
    for (const char* text : {"1.50GiB", "1.50GB", "1.50 GB", "1.50 GiB"}) {
        CAPTURE(text);
        CHECK(read_rounded_size(text) == read_rounded_size("1.50G"));
    }
}

TEST_CASE("what is no size is refused") {
    for (const char* text :
         {"",    "B",   "K",   "iB",  "KiB",  ".",   ".5G",  "5.G", "5..0G",  "1.2.3G", "-2.55G", "+1G",
          " 1G", "1 G", "5iB", "1e3", "1.5B", "1.5", "0x10", "G15", "15.75g", "1kB",    " bytes"}) {
        CAPTURE(text);
        CHECK(!read_rounded_size(text));
    }
}

TEST_CASE("a size in words has the digits of its text; one that rounds to nothing has a bound") {
    using hbm::imported::difference;
    const auto size = [](const char* text) { return *read_rounded_size(text); };
    CHECK(in_words(size("17.60G")) == "17.60G");
    CHECK(in_words(size("4.0K")) == "4.0K");
    CHECK(in_words(difference(size("15.75G"), size("15.48G"))) == "0.27G");
    CHECK(in_words(difference(size("15.75G"), size("15.75G"))) == "at most 0.02G");
    CHECK(enough_in_words(difference(size("15.75G"), size("15.73G"))) == "0.03G");
    CHECK(enough_in_words(difference(size("15.75G"), size("13.50G"))) == "2.25G");
}

}  // namespace

}  // namespace hbm::test::rounded_size_tests
