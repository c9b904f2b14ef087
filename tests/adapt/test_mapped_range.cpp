#include <hbm/adapt/address_words.hpp>
#include <hbm/adapt/mapped_range.hpp>

#include <doctest/doctest.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

namespace hbm::test::mapped_range_tests {

static_assert(!std::is_copy_constructible_v<mapped_range> && std::is_nothrow_move_constructible_v<mapped_range>);

TEST_CASE("a mapped range can be written from end to end and begins as zero") {
    for (const std::uint64_t bytes : {std::uint64_t{1}, std::uint64_t{4096}, std::uint64_t{100'000}, 2_MiB, 5_MiB}) {
        CAPTURE(bytes);
        auto made = mapped_range::map(bytes);
        REQUIRE(made);
        const address_range range = made->range();
        CHECK(range.bytes >= bytes);
        CHECK(range.bytes - bytes < 65'536);
        CHECK(range.alignment() >= (bytes >= 2_MiB ? 2_MiB : 4096));
        auto* const first = static_cast<unsigned char*>(range.base);
        CHECK(first[0] == 0);
        CHECK(first[range.bytes - 1] == 0);
        first[0] = first[range.bytes - 1] = 7;
    }
}

TEST_CASE("addresses are reserved without pages: more than a host has") {
    auto made = mapped_range::map(256_GiB);
    REQUIRE(made);
    static_cast<unsigned char*>(made->range().base)[256_GiB - 1] = 1;
}

TEST_CASE("a mapped range has the alignment that was asked for") {
    for (std::uint64_t alignment = 1; alignment <= 1_GiB; alignment *= 2) {
        auto made = mapped_range::map(10'000, alignment);
        REQUIRE(made);
        CHECK(made->range().alignment() >= alignment);
    }
}

TEST_CASE("what cannot be mapped is a failure with its number") {
    const auto why = [](std::uint64_t bytes, std::uint64_t alignment = 0) {
        const auto made = mapped_range::map(bytes, alignment);
        REQUIRE(!made);
        CHECK(made.error().bytes == bytes);
        return made.error().number;
    };
    CHECK(why(0) == EINVAL);
    CHECK(why(4096, 3) == EINVAL);
    CHECK(why(~std::uint64_t{0}) == ENOMEM);
    CHECK(why(~std::uint64_t{0} - 4095) == ENOMEM);
    CHECK(why(std::uint64_t{1} << 63) == ENOMEM);
    CHECK(why((std::uint64_t{1} << 63) - 1) == ENOMEM);
    CHECK(why(4096, std::uint64_t{1} << 63) == ENOMEM);
    const auto none = mapped_range::map(std::uint64_t{1} << 60);
    REQUIRE(!none);
    const std::string words = in_words(none.error());
    CHECK(words.find("1152921504606846976 bytes") != std::string::npos);
    CHECK(words.find("errno " + std::to_string(ENOMEM)) != std::string::npos);
}

TEST_CASE("a mapped range moves as a value") {
    auto made = mapped_range::map(4096);
    REQUIRE(made);
    mapped_range a = std::move(*made);
    const address_range where = a.range();
    CHECK(made->range().bytes == 0);
    mapped_range b;
    CHECK(b.range().base == nullptr);
    b = std::move(a);
    CHECK(b.range() == where);
    static_cast<unsigned char*>(where.base)[4095] = 1;
    mapped_range& same = b;
    b = std::move(same);
    CHECK(b.range() == where);
    static_cast<unsigned char*>(where.base)[0] = 1;
}

}  // namespace hbm::test::mapped_range_tests
