// Reader of module configurations.

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "compare/read/xla/module/module_config.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::module_config_tests {

using namespace hbm::imported;
using xla::read_module_config;

namespace {

std::string complaint_of(std::string_view text) {
    const auto read = read_module_config(text, "c.txt");
    return read ? std::string{} : read.error().message();
}

}  // namespace

TEST_CASE("a configuration has the arrays of parameters and result with their layouts") {
    const auto read = read_module_config(dump_samples::config_text, "c.txt");
    REQUIRE(read);
    CHECK(read->cut_line == xla::not_cut);
    CHECK(read->replica_count == 1);
    CHECK(read->num_partitions == 2);
    CHECK(read->has_global_shapes());
    REQUIRE(read->arguments.size() == 3);
    CHECK(read->arguments[0].parameter == 0);
    CHECK(read->arguments[0].index.empty());
    CHECK(read->arguments[0].text == "f32[32,192]{1,0:T(8,128)}");
    CHECK(padded_bytes(read->arguments[0].shape) == 32 * 256 * 4);
    CHECK(read->arguments[1].parameter == 1);
    CHECK(read->arguments[1].index == index_path{0});
    CHECK(read->arguments[1].text == "bf16[100]{0:T(1024)(2,1)}");
    CHECK(padded_bytes(read->arguments[1].shape) == 2048);
    CHECK(read->arguments[2].index == index_path{1});
    CHECK(read->arguments[2].shape.memory_space == 5);
    REQUIRE(read->has_result);
    REQUIRE(read->outputs.size() == 1);
    CHECK(read->outputs[0].text == "pred[3,5]");
    CHECK(padded_bytes(read->outputs[0].shape) == 15);
    const description said = xla::describe(*read);
    CHECK(said.argument_bytes == 32 * 256 * 4 + 2048);
    CHECK(said.output_bytes == 15);
    CHECK_FALSE(said.temp_bytes);
}

TEST_CASE("a configuration that was cut has the arrays before the cut") {
    const std::string_view whole = dump_samples::config_text;
    const auto read = read_module_config(whole.substr(0, whole.find("      element_type: S32")), "c.txt");
    REQUIRE(read);
    CHECK(read->arguments.size() == 2);
    CHECK_FALSE(read->has_result);
    CHECK(read->cut_line == 25);
    CHECK_FALSE(xla::describe(*read).argument_bytes);
    CHECK_FALSE(xla::describe(*read).outputs);
}

TEST_CASE("what is no configuration is refused with its place") {
    CHECK(complaint_of("") ==
          "c.txt: found no `entry_computation_layout {`, expected the configuration of a module of XLA");
    CHECK(complaint_of("entry_computation_layout {\n  result { element_type: F33 }\n}\n")
              .starts_with("c.txt:2:29: found element type `F33`"));
    CHECK(complaint_of("entry_computation_layout { result { element_type: F32 layout { minor_to_major: 1 } } }")
              .ends_with("found dimension 1, expected a dimension that the shape has"));
    CHECK(complaint_of("entry_computation_layout {} }\n").starts_with("c.txt:1:30: found a brace that closes nothing"));
    CHECK(complaint_of("entry_computation_layout {\n ? }\n").starts_with("c.txt:2:2: found `? }"));
    CHECK(complaint_of("entry_computation_layout { }\nnum_partitions: -1\n").starts_with("c.txt:2:19: found `-1`"));
    std::string deep = "entry_computation_layout {}";
    for (int at = 0; at < 100'000; ++at) deep += "a{";
    CHECK(complaint_of(deep).find("nested deeper than 32") != std::string::npos);
}

TEST_CASE("many empty lists are read without a call for each") {
    std::string text = "entry_computation_layout {}";
    for (int at = 0; at < 300'000; ++at) text += " a:[]";
    CHECK(complaint_of(text).empty());
}

}  // namespace hbm::test::module_config_tests
