#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/module/module_config.hpp"
#include "compare/read/xla/shape.hpp"
#include "compare/xla/dump_samples.hpp"
#include "compare/xla/module_samples.hpp"

namespace hbm::test::module_tests {

namespace {

using namespace hbm::imported;
using namespace hbm::imported::xla;

hlo_module read(const std::string& text) {
    const reading<hlo_module> module = read_module(text, "m.txt");
    REQUIRE_MESSAGE(module, module.error().message());
    return *module;
}

std::string problem(const std::string& text) {
    const reading<hlo_module> module = read_module(text, "m.txt");
    REQUIRE(!module);
    return module.error().message();
}

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

TEST_CASE("a text cut off after its header is good enough if the header has the layouts") {
    const std::string text = samples::compiled_step.substr(0, samples::compiled_step.find('\n') + 40);
    const hlo_module module = read(text);
    CHECK(module.is_cut);
    CHECK(!module.entry);
    CHECK(module.arguments.size() == 4);
    CHECK(problem(samples::old_style.substr(0, 40)) == "m.txt:3:18: found the end of the file, expected the end of the "
                                                       "ENTRY computation, with a line that begins with "
                                                       "ROOT: bring all of the file");
    const std::string without_end = samples::old_style.substr(0, samples::old_style.size() - 2);
    CHECK(problem(without_end).find("the end of the ENTRY computation") != std::string::npos);
}

TEST_CASE("the first of several modules is read, and what stands around it is skipped") {
    const hlo_module module = read("a log\n  `" + samples::compiled_step + "`\n" + samples::old_style);
    CHECK(module.name == "jit_step");
    CHECK(module.arguments.size() == 4);
    CHECK(module.others == std::vector<std::string>{"cluster_0.7"});
    std::string indented;
    for (const char each : samples::old_style + "\n")
        indented += each == '\n' ? std::string("\n    ") : std::string(1, each);
    indented.insert(indented.find('\n', indented.find("ENTRY")), "\n");
    CHECK(!read(indented).is_cut);
    CHECK(read(indented).outputs.size() == 1);
    std::string windows;
    for (const char each : samples::old_style) windows += each == '\n' ? std::string("\r\n") : std::string(1, each);
    CHECK(read(windows).arguments.size() == 2);
    CHECK(read(windows).entry == "cluster_0.7");
}

TEST_CASE("a module in a log with a stamp before each line") {
    std::string stamped;
    std::uint64_t number = 7;
    std::string rest = samples::old_style;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n') + 1;
        number *= 13;
        stamped += "I0000 00:00:17" + std::to_string(number) + ".5 " + std::to_string(number % 97) + " dump.cc:9] " +
                   rest.substr(0, end);
        rest.erase(0, end);
    }
    CHECK(recognise("start\n" + stamped) == file_kind::module);
    CHECK(recognise("Compiling HloModule jit_f\nENTRY is a word\n") == file_kind::unknown);
    const hlo_module module = read("start\n" + stamped);
    CHECK(module.name == "cluster_0.7");
    REQUIRE(module.arguments.size() == 2);
    CHECK(module.arguments[0].bytes == 24);
    CHECK(module.outputs[0].bytes == 24);
    // Only the first line of a text over several lines has a stamp in some logs.
    CHECK(read("start\nW1125 x.cc:3] " + samples::old_style).arguments.size() == 2);
}

TEST_CASE("a label has a bound, because all arrays of its parameter get it") {
    const std::string text = "HloModule m, entry_computation_layout={((f32[2]{0}, f32[2]{0}))->f32[]}\n\nENTRY e {\n"
                             "  p = (f32[2]{0}, f32[2]{0}) parameter(0), metadata={op_name=\"" +
                             std::string(5'000, 'x') +
                             "\"}\n  q = (f32[2]{0}, f32[2]{0}) parameter(0), metadata={op_name=\"second\"}\n"
                             "  ROOT c = f32[] constant(1)\n}\n";
    const hlo_module made = read(text);
    REQUIRE(made.arguments.size() == 2);
    CHECK(made.arguments[0].label == std::string(200, 'x'));
    CHECK(made.arguments[1].label == made.arguments[0].label);
}

}  // namespace

using namespace hbm::imported;
using xla::read_module_config;

namespace {

std::string complaint_of(std::string_view text) {
    const auto read = read_module_config(text, "c.txt");
    return read ? std::string{} : read.error().message();
}

}  // namespace

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

TEST_CASE("a configuration that is nested deep is refused, and many empty lists are read without a call for each") {
    std::string deep = "entry_computation_layout {}";
    for (int at = 0; at < 100'000; ++at) deep += "a{";
    CHECK(complaint_of(deep).find("nested deeper than 32") != std::string::npos);
    std::string text = "entry_computation_layout {}";
    for (int at = 0; at < 300'000; ++at) text += " a:[]";
    CHECK(complaint_of(text).empty());
}

}  // namespace hbm::test::module_tests
