// The parts of the page that --html writes.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/page/columns.hpp"
#include "compare/page/page.hpp"

namespace hbm::test::html_tests {

using namespace hbm::compare;

TEST_CASE("base64 is that of RFC 4648, section 10") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64(std::string("\xff\xfe\x00", 3)) == "//4A");
}

TEST_CASE("JSON in a page cannot end its element") {
    CHECK(json_in_html("{\"a\":\"</script><!--&\"}") == "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\"}");
}

TEST_CASE("a history is columns of planes: the lowest bytes of all numbers, then the next") {
    hbm::trace::history made;
    made.blocks.push_back({.subject = 4, .tag = 2, .kind = hbm::block_kind::data});
    made.blocks.push_back({.tag = 0, .kind = hbm::block_kind::reservation});
    made.places.push_back({.block = 0, .where = {512 * 300, 512}, .begin = 7, .end = 9});
    made.places.push_back({.block = 1, .where = {0, 1024}, .begin = 10, .end = 300});
    made.readings.push_back({.highest_end = 1024});
    const std::string_view expected("\2\0\0\0\1\5\0"                  // subjects from 1, 0 for none
                                    "\2\0\0\0\1\2\0"                  // tags
                                    "\2\0\0\0\1\1\4"                  // kinds
                                    "\2\0\0\0\1\0\1"                  // blocks
                                    "\2\0\0\0\1\7\3"                  // begins, as differences
                                    "\2\0\0\0\2\2\x22\0\1"            // lengths in rows: 2 and 290
                                    "\2\0\0\0\2\x2c\0\1\0"            // offsets in quanta: 300 and 0
                                    "\2\0\0\0\1\1\2"                  // sizes in quanta
                                    "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"  // no reliefs
                                    "\1\0\0\0\1\2",                   // highest ends
                                    7 + 7 + 7 + 7 + 7 + 9 + 9 + 7 + 15 + 6);
    CHECK(packed_history(made, 512) == expected);
}

TEST_CASE("the last row of a trace lasts the mean of the others") {
    hbm::trace::workload load;
    CHECK_FALSE(duration_of(load));
    for (const std::uint64_t time : {100U, 200U, 400U}) load.times.push_back(time);
    CHECK(duration_of(load) == 400);
}

}  // namespace hbm::test::html_tests
