// The digest by which files and placements are recognised.

#include <doctest/doctest.h>

#include <string_view>

#include "compare/replay/digest.hpp"

namespace hbm::test::digest_tests {

namespace {

constexpr std::uint64_t digest_of(std::string_view text) {
    hbm::trace::digest made;
    made.add_text(text);
    return made.value;
}

}  // namespace

TEST_CASE("a digest is FNV-1a over 64 bits, as its authors' test vectors have it") {
    // From the test vectors of draft-eastlake-fnv, section 8.
    static_assert(digest_of("") == 0xcbf29ce484222325);
    static_assert(digest_of("a") == 0xaf63dc4c8601ec8c);
    static_assert(digest_of("foobar") == 0x85944171f73967e8);
    CHECK(digest_of("foobar") == 0x85944171f73967e8);
}

TEST_CASE("a number is its eight bytes, the lowest first") {
    hbm::trace::digest number;
    number.add(0x7261626f6f66);
    CHECK(number.value == digest_of(std::string_view("foobar\0\0", 8)));
    CHECK(number.value != digest_of("foobar"));
}

TEST_CASE("parts of a text are as good as the whole") {
    hbm::trace::digest parts;
    parts.add_text("foo");
    parts.add_text("bar");
    CHECK(parts.value == digest_of("foobar"));
}

}  // namespace hbm::test::digest_tests
