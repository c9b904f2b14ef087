#include <hbm/core/request.hpp>

#include <doctest/doctest.h>

namespace hbm::test::request_tests {

TEST_CASE("bytes become quanta, at least one, or are too many") {
    CHECK(to_quanta<std::uint32_t>(0, 512) == 1u);
    CHECK(to_quanta<std::uint32_t>(1, 512) == 1u);
    CHECK(to_quanta<std::uint32_t>(512, 512) == 1u);
    CHECK(to_quanta<std::uint32_t>(513, 512) == 2u);
    CHECK(to_quanta<std::uint32_t>(0xffffffffull * 512, 512) == 0xffffffffu);
    CHECK(to_quanta<std::uint32_t>(0xffffffffull * 512 + 1, 512) == std::nullopt);
    CHECK(to_quanta<std::uint64_t>(~std::uint64_t{0}, 1) == ~std::uint64_t{0});
    CHECK(to_quanta<std::uint64_t>(~std::uint64_t{0} - 511, 512) == (std::uint64_t{1} << 55) - 1);
    CHECK(to_quanta<std::uint64_t>(~std::uint64_t{0}, 512) == std::nullopt);  // 2^64 bytes cannot be said
}

TEST_CASE("a request becomes a need, or says what is wrong with it") {
    need<std::uint32_t> converted;
    CHECK(to_need({.bytes = 1000, .alignment = 2048}, 512, converted) == error::none);
    CHECK(converted.length == 2);
    CHECK(converted.alignment == 4);
    CHECK(converted.at == end::low);

    converted = {};
    CHECK(to_need({.bytes = 1, .alignment = 64, .preferred = side::high}, 512, converted) == error::none);
    CHECK(converted.alignment == 1);  // below the quantum means the quantum
    CHECK(converted.from == end::high);
    CHECK(converted.at == end::high);

    CHECK(to_need({.bytes = 1, .alignment = 3}, 512, converted) == error::bad_alignment);
    CHECK(to_need({.bytes = 1, .alignment = 768}, 512, converted) == error::bad_alignment);
    CHECK(to_need({.bytes = ~std::uint64_t{0}}, 512, converted) == error::size_too_large);
    CHECK(to_need({.bytes = 1, .alignment = std::uint64_t{1} << 63}, 512, converted) == error::size_too_large);
}

TEST_CASE("a need is plain if all long holes suit it, and their low ends") {
    using need_type = need<std::uint32_t>;
    CHECK(need_type{.length = 9, .expected = lifetime::lasting}.is_plain());
    CHECK_FALSE(need_type{.alignment = 2}.is_plain());
    CHECK_FALSE(need_type{.from = end::high}.is_plain());
    CHECK_FALSE(need_type{.at = end::high}.is_plain());
    CHECK_FALSE(need_type{.avoid_below = 1}.is_plain());
}

TEST_CASE("a need admits a hole that is long enough after alignment") {
    need<std::uint32_t> asked;
    asked.length = 4;
    asked.alignment = 8;
    CHECK(asked.admits({8, 4}));
    CHECK(asked.admits({9, 11}));
    CHECK_FALSE(asked.admits({9, 10}));
    CHECK_FALSE(asked.admits({8, 3}));
    CHECK(asked.offset_in({9, 20}) == 16);
    asked.at = end::high;
    CHECK(asked.offset_in({9, 20}) == 24);
    asked.avoid_below = 10;
    CHECK_FALSE(asked.admits({9, 20}));

    asked = {};
    asked.length = 1;
    asked.alignment = 0x80000000u;
    CHECK(asked.admits({1, 0x80000000u}));
    CHECK_FALSE(asked.admits({0x80000001u, 0x7ffffffeu}));  // the next multiple is beyond 32 bits
}

}  // namespace hbm::test::request_tests
