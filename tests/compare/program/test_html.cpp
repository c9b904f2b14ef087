// The parts of the page that --html writes.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/page/escape.hpp"
#include "compare/page/matrix.hpp"
#include "compare/page/packed/trace_blocks.hpp"
#include "compare/replay/workload_builder.hpp"

namespace hbm::test::html_tests {

using namespace hbm::compare;

TEST_CASE("base64 is that of RFC 4648, section 10") {
    CHECK(base64("") == "");
    CHECK(base64("f") == "Zg==");
    CHECK(base64("fo") == "Zm8=");
    CHECK(base64("foo") == "Zm9v");
    CHECK(base64("foob") == "Zm9vYg==");
    CHECK(base64("fooba") == "Zm9vYmE=");
    CHECK(base64("foobar") == "Zm9vYmFy");
    CHECK(base64(std::string("\xff\xfe\x00", 3)) == "//4A");
}

TEST_CASE("numbers take seven bits a byte, the lowest first") {
    const auto bytes_of = [](std::uint64_t number) {
        std::string bytes;
        add_number(bytes, number);
        return bytes;
    };
    CHECK(bytes_of(0) == std::string(1, '\0'));
    CHECK(bytes_of(127) == "\x7f");
    CHECK(bytes_of(300) == "\xac\x02");  // the example of the protobuf documentation
    CHECK(bytes_of(~std::uint64_t{0}).size() == 10);
}

TEST_CASE("a stored stream has the header, the blocks and the checksum of RFC 1950 and RFC 1951") {
    // A final stored block of nine bytes; 0x11e60398 is the Adler-32 of the word in the encyclopedia's article on it.
    CHECK(stored_stream("Wikipedia") == std::string("\x78\x01\x01\x09\x00\xf6\xff", 7) + "Wikipedia\x11\xe6\x03\x98");
    const std::string stream = stored_stream(std::string(65536, 'x'));
    CHECK(stream.size() == 2 + 5 + 65535 + 5 + 1 + 4);
    CHECK(stream.substr(2, 5) == std::string("\x00\xff\xff\x00\x00", 5));
    CHECK(stream.substr(2 + 5 + 65535, 6) == std::string("\x01\x01\x00\xfe\xffx", 6));
}

TEST_CASE("a zlib stream has a valid header and the checksum of its bytes, compressed or stored") {
    const std::string stream = zlib_stream("Wikipedia");
    REQUIRE(stream.size() > 6);
    const auto byte = [&](std::size_t at) { return static_cast<unsigned>(static_cast<unsigned char>(stream[at])); };
    CHECK((byte(0) & 0xf) == 8);
    CHECK((byte(0) * 256 + byte(1)) % 31 == 0);
    CHECK(stream.ends_with("\x11\xe6\x03\x98"));
}

TEST_CASE("text from files cannot become markup, nor turn the direction of writing") {
    CHECK(html_text("<script>&\"'") == "&lt;script&gt;&amp;&quot;&#39;");
    CHECK(html_text("a\nb\x07\x1b\x7f") == "a\nb\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    CHECK(html_text("\xe2\x80\xaexe\xe2\x81\xa6") == "\xef\xbf\xbdxe\xef\xbf\xbd");
    CHECK(html_text("\xff\xc3(\xed\xa0\x80") == "\xef\xbf\xbd\xef\xbf\xbd(\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
    CHECK(html_text("\xc3\xa9\xf0\x9f\x98\x80\\") == "\xc3\xa9\xf0\x9f\x98\x80\\");
    CHECK(json_in_html("{\"a\":\"</script><!--&\"}") == "{\"a\":\"\\u003c/script\\u003e\\u003c!--\\u0026\"}");
    CHECK(html_name("a<b>/c_d") == "a<wbr>&lt;b&gt;/<wbr>c_<wbr>d");
}

TEST_CASE("free_ranges: guesses are the places that the placements choose") {
    free_ranges free(100);
    free.take(0, 10);   // 10..100
    free.take(20, 10);  // 10..20, 30..100
    free.take(40, 50);  // 10..20, 30..40, 90..100
    CHECK(free.place(guess::low_end_of_best, 4) == 10);
    CHECK(free.place(guess::high_end_of_best, 4) == 96);
    CHECK(free.place(guess::lowest, 4) == 10);
    CHECK(free.place(guess::highest, 4) == 96);
    CHECK_FALSE(free.place(guess::lowest, 11));
    free.leave(20, 10);  // 10..40, 90..100
    CHECK(free.place(guess::low_end_of_best, 10) == 90);
    CHECK(free.place(guess::high_end_of_best, 10) == 90);
    CHECK(free.place(guess::lowest, 10) == 10);
    CHECK(free.place(guess::highest, 11) == 29);
    free.leave(40, 50);
    free.leave(0, 10);
    CHECK(free.place(guess::low_end_of_best, 100) == 0);
}

TEST_CASE("a trace has its buffers from the rows that make them to the rows that free or donate them") {
    hbm::trace::workload_builder builder("w");
    const std::vector<std::string_view> donated{"a"};
    const std::vector<hbm::trace::named_size> outputs{{"a", 600}, {"b", 1}};
    REQUIRE(builder.alloc("a", 1000, "t").ok());
    REQUIRE(builder.load("p", {.code = 512}).ok());
    REQUIRE(builder.run("p", {.inputs = {}, .donated = donated, .outputs = outputs}, "out").ok());
    REQUIRE(builder.free("b").ok());
    const hbm::trace::workload load = std::move(builder).finish();
    const std::vector<trace_block> match = trace_blocks(load, 512);
    REQUIRE(match.size() == 3);
    CHECK(match[0] == trace_block{.subject = match[0].subject, .tag = 1, .bytes = 1024, .begin = 0, .end = 2});
    CHECK(match[1] == trace_block{.subject = match[0].subject, .tag = 2, .bytes = 1024, .begin = 2, .end = 4});
    CHECK(match[2].bytes == 512);
    CHECK(match[2].end == 3);
}

TEST_CASE("packed_history: a place that is guessed takes a byte; addresses too large for the page have no replay") {
    hbm::trace::workload load;
    load.ids = {"a"};
    load.tags = {""};
    for (int row = 0; row < 10; ++row)
        load.rows.push_back({.bytes = 512, .what = row % 2 == 0 ? hbm::trace::op::alloc : hbm::trace::op::free});
    const std::vector<trace_block> blocks = trace_blocks(load, 512);
    hbm::trace::history result;
    result.capacity = 5120;
    for (std::uint32_t block = 0; block < 5; ++block) {
        result.blocks.push_back({.granted = 512, .begin = block * 2, .end = block * 2 + 1});
        result.blocks.back().kind = hbm::block_kind::data;
        result.blocks.back().subject = 0;
        result.places.push_back({.block = block, .where = {0, 512}, .begin = block * 2, .end = block * 2 + 1});
    }
    const auto packed = packed_history(result, load, blocks, 512);
    REQUIRE(packed);
    // Rows, capacity, no differences, no own blocks, no later places, no reliefs, no wider places, five guesses.
    CHECK(*packed == std::string("\x0a\x0a\0\0\0\0\0\0\0\0\0\0", 12));
    result.places[2].where.offset = max_exact_number * 512;
    CHECK_FALSE(packed_history(result, load, blocks, 512));
}

TEST_CASE("the colour of a cell rises with what it costs") {
    CHECK(level_of(hbm::compare::need{.bytes = 1, .overhead = {1'000'000}}, 0) == 0);
    CHECK(level_of(hbm::compare::need{.bytes = 1, .overhead = {1'100'000}}, 0) == 3);
    CHECK(level_of(hbm::compare::need{.bytes = 1, .overhead = {9'000'000}}, 0) == 7);
    CHECK(level_of(std::nullopt, 0) == 0);
    CHECK(level_of(std::nullopt, 1'000'000) == 7);
}

}  // namespace hbm::test::html_tests
