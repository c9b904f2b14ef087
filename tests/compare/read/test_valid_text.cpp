#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "compare/text/text.hpp"

namespace hbm::test::valid_text_tests {

TEST_CASE("valid UTF-8 stays as it is, control characters included") {
    for (const char* each :
         {"", "plain", "tab\tline\nbell\x07", "\xc2\x80\xe0\xa0\x80\xed\x9f\xbf\xf0\x90\x80\x80\xf4\x8f\xbf\xbf"})
        CHECK(hbm::valid_text(each) == each);
    CHECK(hbm::valid_text(std::string_view("\0x", 2)) == std::string_view("\0x", 2));
}

TEST_CASE("each byte that is not valid becomes a replacement character") {
    const std::string wrong = "\xef\xbf\xbd";
    CHECK(hbm::valid_text("a\xffz") == "a" + wrong + "z");
    CHECK(hbm::valid_text("\xc0\xaf") == wrong + wrong);                          // overlong
    CHECK(hbm::valid_text("\xed\xa0\x80") == wrong + wrong + wrong);              // a surrogate
    CHECK(hbm::valid_text("\xf4\x90\x80\x80") == wrong + wrong + wrong + wrong);  // beyond Unicode
    CHECK(hbm::valid_text("a\xe2\x82") == "a" + wrong + wrong);                   // cut off
}

}  // namespace hbm::test::valid_text_tests
