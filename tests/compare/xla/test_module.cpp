#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/module/module_config.hpp"
#include "compare/read/xla/shape.hpp"

namespace hbm::test::module_tests {

namespace {

using namespace hbm::imported;
using namespace hbm::imported::xla;

TEST_CASE("one device's share of an array") {
    const array_shape whole = *read_array_shape("f32[10,6]{0,1:T(2,128)}");
    const auto dimensions = [&](std::string_view sharding) {
        const std::optional<array_shape> share = share_of(whole, sharding);
        return share ? share->dimensions : std::vector<std::uint64_t>{};
    };
    using lengths = std::vector<std::uint64_t>;
    CHECK(dimensions("{devices=[4,1]<=[4]}") == lengths{3, 6});
    CHECK(dimensions("{devices=[2,4]<=[4,2]T(1,0)}") == lengths{5, 2});
    CHECK(dimensions("{devices=[16,1]<=[16]}") == lengths{1, 6});
    CHECK(dimensions("{devices=[1,2,2]0,1,2,3 last_tile_dim_replicate}") == lengths{10, 3});
    CHECK(dimensions("{devices=[5,1,2,2]<=[20] last_tile_dims={replicated, manual}}") == lengths{2, 6});
    for (const char* same : {"{replicated}", "{maximal device=3}", "{manual}", "{ replicated }"})
        CHECK(dimensions(same) == lengths{10, 6});
    for (const char* unknown : {"", "{", "{unknown}", "{devices=[4]<=[4]}", "{devices=[1,2,2]<=[4]}", "{devices=[0,1]}",
                                "{devices=[4,1", "{@mesh, [{\"x\"}]}", "{devices=[,1]<=[4]}"})
        CHECK_MESSAGE(dimensions(unknown).empty(), std::string(unknown));
    CHECK(share_of(whole, "{devices=[4,1]<=[4]}")->tile == whole.tile);
    CHECK(shardings_in("{replicated}", 1).size() == 1);
    CHECK(shardings_in("{{replicated}}", 1) == std::vector<std::string_view>{"{replicated}"});
    CHECK(shardings_in("{{replicated}, {devices=[2]<=[2]}}", 2)[1] == "{devices=[2]<=[2]}");
    CHECK(shardings_in("{{replicated}, {replicated}}", 3).empty());
    CHECK(shardings_in("{{replicated}, {replicated}}", 1).empty());
    CHECK(shardings_in("{replicated}", 2).empty());
    CHECK(devices_in("{devices=[4,1,2]<=[8] last_tile_dim_replicate}") == 8);
    CHECK(devices_in("{{replicated}, {devices=[2]0,1}}") == 2);
    CHECK(devices_in("{manual}") == 1);
    CHECK(devices_in("{devices=[18446744073709551615,2]}") == 1);
}

std::string complaint_of(std::string_view text) {
    const auto read = read_module_config(text, "c.txt");
    return read ? std::string{} : read.error().message();
}

TEST_CASE("recognise: a module in a log with a stamp before each line") {
    CHECK(recognise("start\nI0000 00:00:17.5 1 dump.cc:9] HloModule m\nI0000 00:00:17.6 1 dump.cc:9] ENTRY e {\n") ==
          file_kind::module);
    CHECK(recognise("Compiling HloModule jit_f\nENTRY is a word\n") == file_kind::unknown);
}

TEST_CASE("a configuration that is nested deep is refused, and many empty lists are read without a call for each") {
    std::string deep = "entry_computation_layout {}";
    for (int at = 0; at < 100'000; ++at) deep += "a{";
    CHECK(complaint_of(deep).find("nested deeper than 32") != std::string::npos);
    std::string text = "entry_computation_layout {}";
    for (int at = 0; at < 300'000; ++at) text += " a:[]";
    CHECK(complaint_of(text).empty());
}

}  // namespace

}  // namespace hbm::test::module_tests
