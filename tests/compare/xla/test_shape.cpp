#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "compare/read/xla/shape.hpp"

namespace hbm::test::shape_tests {

namespace {

using namespace hbm::imported;
using namespace hbm::imported::xla;

struct sized {
    const char* text;
    std::uint64_t unpadded;
    std::uint64_t padded;
};

TEST_CASE("bytes of arrays, with and without padding") {
    // Each figure can be checked by hand: the tile rounds up the most minor dimensions.
    for (const sized& each : {
             sized{"f32[]", 4, 4},
             sized{"f32[]{:T(128)}", 4, 512},
             sized{"bf16[]{:T(256)}", 2, 512},
             sized{"pred[]{:T(512)}", 1, 512},
             sized{"bf16[]{:T(512)(2,1)}", 2, 1024},
             sized{"f32[8]", 32, 32},
             sized{"f32[8]{0}", 32, 32},
             sized{"f32[4]{0:T(128)}", 16, 512},
             sized{"bf16[2048]{0:T(1024)(128)(2,1)}", 4096, 4096},
             sized{"bf16[3,2,192]{2,1,0:T(8,128)(2,1)}", 2304, 3 * 8 * 256 * 2},
             // In memory the dimensions are 3, 9 and 18 from major to minor.
             sized{"f32[9,3,18]{2,0,1:T(8,128)}", 1944, 3 * 16 * 128 * 4},
             sized{"bf16[4,5,6,64]{3,0,2,1:T(4,128)(2,1)}", 15360, 5 * 6 * 4 * 128 * 2},
             sized{"f32[29184,1,2560]{2,1,0:T(2,128)}", 298844160, 597688320},
             sized{"f32[7]{0:T(2,128)}", 28, 2 * 128 * 4},
             sized{"s4[10]{0}", 10, 10},
             sized{"s4[11]{0:E(4)}", 6, 6},
             sized{"s4[11]{0:T(128)E(4)}", 6, 64},
             sized{"u2[3]{0:E(2)}", 1, 1},
             sized{"f32[5]{0:L(4)}", 32, 32},
             sized{"f32[<=8,4]{1,0}", 128, 128},
             sized{"f32[0,4]{1,0:T(8,128)}", 0, 0},
             sized{"f32[18446744073709551615,0]", 0, 0},
             sized{"f32[6,4]{1,0:T(*,8)}", 96, 96},
             sized{"f32[5,5]{1,0:T(*,8)}", 100, 128},
             sized{"token[]", 0, 0},
             sized{"c128[2]", 32, 32},
             sized{"f8e4m3b11fnuz[16]{0}", 16, 16},
             sized{"f4e2m1fn[16]{0:E(4)}", 8, 8},
             sized{"f32[8,128]{1,0:D(D,C)T(8,128)S(1)}", 4096, 4096},
             sized{"f32[8]{0:T(128)SC(0:4,8)#(u32)*(s64)M(128)P((f32[8]{0}))}", 32, 512},
         }) {
        CAPTURE(std::string(each.text));
        const std::optional<array_shape> shape = read_array_shape(each.text);
        REQUIRE(shape);
        CHECK(unpadded_bytes(*shape) == each.unpadded);
        CHECK(padded_bytes(*shape) == each.padded);
    }
}

TEST_CASE("what a layout says of a shape") {
    const std::optional<array_shape> shape = read_array_shape("bf16[<=4,7]{0,1:T(8,128)(2,1)S(5)}");
    REQUIRE(shape);
    CHECK(shape->element == "bf16");
    CHECK(shape->dimensions == std::vector<std::uint64_t>{4, 7});
    CHECK(shape->minor_to_major == std::vector<std::uint64_t>{0, 1});
    CHECK(shape->tile == std::vector<std::uint64_t>{8, 128});
    CHECK(shape->memory_space == host_memory_space);
    CHECK(shape->has_layout);
    CHECK(shape->is_tiled());
    const std::optional<array_shape> bare = read_array_shape("f32[2,3,5]");
    REQUIRE(bare);
    CHECK(bare->minor_to_major == std::vector<std::uint64_t>{2, 1, 0});
    CHECK(bare->memory_space == device_memory_space);
    CHECK(!bare->has_layout);
    CHECK(!bare->is_tiled());
}

TEST_CASE("sizes end at 2^64: what lies beyond is no shape") {
    CHECK(unpadded_bytes(*read_array_shape("u8[18446744073709551615]")) == ~std::uint64_t{0});
    CHECK(unpadded_bytes(*read_array_shape("f32[4611686018427387903]")) == ~std::uint64_t{3});
    CHECK(padded_bytes(*read_array_shape("u8[18446744073709551488]{0:T(128)}")) == ~std::uint64_t{127});
    for (const char* text :
         {"f32[4611686018427387904]", "u8[4294967296,4294967296]", "u8[18446744073709551615]{0:T(128)}",
          "u8[18446744073709551616]", "u8[4294967295,4294967295]{1,0:T(8,128)}", "u8[18446744073709551615]{0:L(2)}",
          "u8[18446744073709551615]{0:E(9)}", "u8[2,3]{1,0:T(18446744073709551615,128)}",
          "u8[4294967296,0,18446744073709551616]"}) {
        CAPTURE(std::string(text));
        CHECK(!read_array_shape(text));
    }
}

TEST_CASE("what is no shape is refused where it is wrong") {
    struct wrong {
        const char* text;
        std::size_t at;
    };
    for (const wrong& each : {wrong{"", 0},
                              wrong{"[2]", 0},
                              wrong{"f31[2]", 0},
                              wrong{"F32[2]", 0},
                              wrong{"f32", 3},
                              wrong{"f32[2", 5},
                              wrong{"f32[2,]", 6},
                              wrong{"f32[-2]", 4},
                              wrong{"f32[?]", 4},
                              wrong{"f32[2]{", 7},
                              wrong{"f32[2]{1}", 8},
                              wrong{"f32[2,2]{0}", 10},
                              wrong{"f32[2,2]{0,0}", 12},
                              wrong{"f32[2]{0", 8},
                              wrong{"f32[2]{0:", 9},
                              wrong{"f32[2]{0:T}", 10},
                              wrong{"f32[2]{0:T()}", 12},
                              wrong{"f32[2]{0:T(0)}", 12},
                              wrong{"f32[2]{0:T(8,*)}", 15},
                              wrong{"f32[2]{0:T(8)((}", 13},
                              wrong{"f32[2]{0:S(x)}", 11},
                              wrong{"f32[2]{0:L(0)}", 13}}) {
        CAPTURE(std::string(each.text));
        shape_reader reader{std::string_view(each.text)};
        array_shape shape;
        CHECK(!reader.read_array(shape));
        CHECK(reader.at() == each.at);
        CHECK(!reader.expected().empty());
    }
    CHECK(!read_array_shape("f32[2] "));
}

TEST_CASE("arrays of nested tuples are named by their index") {
    const auto leaves = read_shape_leaves("(f32[2]{0}, (s32[], /*index=1*/(), (f32[4]{0})), pred[])");
    REQUIRE(leaves);
    REQUIRE(leaves->size() == 4);
    CHECK((*leaves)[0].index == index_path{0});
    CHECK((*leaves)[1].index == index_path{1, 0});
    CHECK((*leaves)[2].index == index_path{1, 2, 0});
    CHECK((*leaves)[2].text == "f32[4]{0}");
    CHECK((*leaves)[3].index == index_path{2});
    CHECK(read_shape_leaves("f32[2]")->front().index.empty());
    CHECK(read_shape_leaves("()")->empty());
    CHECK(read_shape_leaves("(())")->empty());
    for (const char* text :
         {"(", "(f32[2]", "(f32[2],", "(f32[2],)", "(,f32[2])", "(f32[2] f32[2])", "f32[2])", "((f32[2])"})
        CHECK_MESSAGE(!read_shape_leaves(text), std::string(text));
}

TEST_CASE("nesting and number of arrays have bounds") {
    const auto nested = [](std::size_t depth) { return std::string(depth, '(') + "s8[]" + std::string(depth, ')'); };
    CHECK(read_shape_leaves(nested(max_tuple_depth)));
    CHECK(!read_shape_leaves(nested(max_tuple_depth + 1)));
    CHECK(!read_shape_leaves(std::string(10'000'000, '(')));
    std::string many = "(s8[]";
    for (std::size_t at = 1; at < max_tuple_leaves; ++at) many += ",s8[]";
    CHECK(read_shape_leaves(many + ")"));
    CHECK(!read_shape_leaves(many + ",s8[])"));
}

}  // namespace

}  // namespace hbm::test::shape_tests
