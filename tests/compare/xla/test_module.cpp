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

/// A module with these keys in its header, and nothing after it.
std::string header(const std::string& keys) {
    return "HloModule m, " + keys + "\n";
}

TEST_CASE("a compiled module: arguments, outputs and aliases in bytes of one device") {
    const hlo_module module = read(samples::compiled_step);
    CHECK(module.name == "jit_step");
    CHECK(module.entry == "main.9_spmd");
    CHECK(module.is_scheduled);
    CHECK(module.states_layouts);
    CHECK(module.is_tiled);
    CHECK(!module.is_cut);
    CHECK(!module.has_whole_arrays);
    CHECK(module.num_partitions == 4);
    REQUIRE(module.arguments.size() == 4);
    CHECK(module.arguments[1].parameter == 0);
    CHECK(module.arguments[1].index == index_path{1});
    CHECK(module.arguments[1].bytes == 512);
    CHECK(module.arguments[1].unpadded_bytes == 4);
    CHECK(module.arguments[2].bytes == 8 * 256 * 2);
    CHECK(module.arguments[3].text == "f32[64]{0:T(128)S(5)}");
    CHECK(!module.arguments[3].in_device_memory());
    REQUIRE(module.outputs.size() == 3);
    CHECK(module.outputs[2].index == index_path{1, 1});
    REQUIRE(module.aliases.size() == 2);
    CHECK(!module.aliases[0].must);
    CHECK(module.aliases[1].must);
    CHECK(module.aliases[1].output == 1);
    CHECK(module.aliases[1].argument == 2);

    const module_sums sums = sums_of(module);
    CHECK(sums.arguments == 4096 + 512 + 4096);
    CHECK(sums.unpadded_arguments == 4096 + 4 + 1152);
    CHECK(sums.host_arguments == 512);
    CHECK(sums.outputs == 4096 + 4096 + 512);
    CHECK(sums.aliases == 8192);
    CHECK(sums.mismatches == 0);
    CHECK(sums.at_least() == 8704 + 512);
}

TEST_CASE("without layouts in the header the instructions of the entry computation count") {
    const hlo_module module = read(samples::old_style);
    CHECK(module.name == "cluster_0.7");
    CHECK(!module.states_layouts);
    CHECK(!module.is_cut);
    CHECK(!module.is_tiled);
    REQUIRE(module.arguments.size() == 2);
    CHECK(module.arguments[0].bytes == 24);
    CHECK(module.arguments[1].bytes == 10);
    REQUIRE(module.outputs.size() == 1);
    CHECK(module.outputs[0].index.empty());
    CHECK(module.outputs[0].bytes == 24);
}

TEST_CASE("whole arrays are divided as the parameters say, and what is not said is unknown") {
    const hlo_module module = read(samples::whole_arrays);
    CHECK(module.has_whole_arrays);
    REQUIRE(module.arguments.size() == 5);
    CHECK(module.arguments[0].bytes == 16 * 256 * 2);
    CHECK(module.arguments[0].share_bytes == 8 * 256 * 2);  // 10 / 4 is 3, which the tile makes 8
    CHECK(module.arguments[1].share_bytes == 6 * 3 * 4);
    CHECK(module.arguments[2].share_bytes == 16);
    CHECK(module.arguments[3].share_bytes == 8);
    CHECK(!module.arguments[4].share_bytes);
    CHECK(!module.outputs[0].share_bytes);
    REQUIRE(module.donors.size() == 2);
    CHECK(module.donors[1] == 3);
    CHECK(sums_of(module).donors == 8192 + 32);
    const std::string layouts = "entry_computation_layout={(f32[4]{0})->f32[4]{0}}, num_partitions=2";
    CHECK(read(header(layouts)).has_whole_arrays);
    CHECK(!read(header("is_scheduled=true, " + layouts)).has_whole_arrays);
    CHECK(!read(header("entry_computation_layout={(f32[4]{0})->f32[4]{0}}")).has_whole_arrays);
    CHECK(!read(header(layouts) + "ENTRY %main_spmd (p: f32[4]) -> f32[4] {\n").has_whole_arrays);
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

TEST_CASE("a module without num_partitions: whole arrays are those that a sharding divides") {
    const std::string text = "HloModule f\n\nENTRY f {\n"
                             "  arg = f32[2,2] parameter(0), sharding={devices=[1,2]0,1}\n"
                             "  ROOT add_result = f32[2,2] add(arg, arg), sharding={devices=[1,2]0,1}\n}\n";
    const hlo_module module = read(text);
    CHECK(module.has_whole_arrays);
    CHECK(module.num_partitions == 2);
    CHECK(module.arguments[0].share_bytes == 8);
    CHECK(module.outputs[0].share_bytes == 8);
    // Instructions of compiled modules keep their shardings, with the shapes of one device.
    std::string compiled = text;
    compiled.replace(compiled.find('\n'), 1, ", is_scheduled=true\n");
    CHECK(!read(compiled).has_whole_arrays);
    std::string replicated = text;
    for (const char* const sharding : {"{devices=[1,2]0,1}", "{devices=[1,2]0,1}"})
        replicated.replace(replicated.find(sharding), std::string(sharding).size(), "{replicated}");
    CHECK(!read(replicated).has_whole_arrays);
    CHECK(devices_in("{devices=[4,1,2]<=[8] last_tile_dim_replicate}") == 8);
    CHECK(devices_in("{{replicated}, {devices=[2]0,1}}") == 2);
    CHECK(devices_in("{manual}") == 1);
    CHECK(devices_in("{devices=[18446744073709551615,2]}") == 1);
}

TEST_CASE("a module in any hand: blanks in dimensions, no header, an instruction over several lines") {
    const std::string entry = "ENTRY main {\n"
                              "  x = f32[2, 3] parameter(0)\n"
                              "  y = f32[2,3]{1,0}\n"
                              "    parameter(1),\n"
                              "    sharding={replicated}, metadata={op_name=\"y\"}\n"
                              "  ROOT\n"
                              "    sum =\n"
                              "    f32[2,3]{1,0} add(x,\n"
                              "    y)\n"
                              "}\n";
    for (const std::string& text : {entry, "HloModule main\n\n" + entry, "a log\n\n" + entry + "more of the log\n"}) {
        CAPTURE(text);
        const hlo_module module = read(text);
        CHECK(module.name == "main");
        CHECK(module.entry == "main");
        CHECK_FALSE(module.is_cut);
        REQUIRE(module.arguments.size() == 2);
        CHECK(module.arguments[0].bytes == 24);
        CHECK(module.arguments[1].bytes == 24);
        CHECK(module.arguments[1].label == "y");
        REQUIRE(module.outputs.size() == 1);
        CHECK(module.outputs[0].bytes == 24);
    }
    // PyTorch-Neuron leaves parameters out that are not used.
    CHECK(read("ENTRY e {\n  p = f32[4] parameter(1)\n  ROOT q = f32[4] parameter(3)\n}\n").arguments[1].parameter ==
          3);
    // Without ROOT the last instruction is the result.
    CHECK(read("ENTRY e {\n  p = f32[4] parameter(0)\n  q = f32[2,4] broadcast(p)\n}\n").outputs[0].bytes == 32);
    const std::string alone = "ENTRY e {\n  ROOT p = f32[4, 5, 6]{2,1,0} parameter(0)\n}\n";
    CHECK(read(alone).outputs[0].bytes == 480);
    CHECK(problem("ENTRY e {\n  p = f32[4] parameter(0)\n  ROOT r = add(p, p)\n}\n").starts_with("m.txt:3:12: "));
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

TEST_CASE("errors name the place and what was expected there") {
    CHECK(problem("nothing") == "m.txt:1:1: found `nothing`, expected a line `HloModule NAME`, or a "
                                "computation that begins with ENTRY");
    CHECK(problem(header("entry_computation_layout={(f32[8]{0})->f33[8]{0}}")) ==
          "m.txt:1:53: found `f33[8]{0}}`, expected an element type such as f32, bf16, s32 or pred");
    CHECK(problem(header("entry_computation_layout={(f32[8]{0})->f32[8]{0}")).find("m.txt:1:39: found `{(f32[8]") == 0);
    CHECK(problem(header("num_partitions=0")).find("m.txt:1:29: found `0`, expected a number from 1") == 0);
    CHECK(problem(header("entry_computation_layout={(f32[8]{0})}")).find("m.txt:1:51: found `}`, expected ->") == 0);
    const std::string layouts = "entry_computation_layout={(s8[4]{0}, s8[4]{0})->(s8[4]{0}, s8[4]{0})}";
    for (const char* aliases : {"{0: (0, {})}", "{{0} (0, {})}", "{{0}: 0}", "{{0}: (0)}", "{{0}: (0, {}, maybe)}",
                                "{{0}: (0, {}) {1}: (1, {})}", "{{0}: (2, {})}", "{{2}: (0, {})}", "{{}: (0, {})}",
                                "{{0}: (0, {0})}", "{{0}: (0, {}), {0}: (1, {})}", "{{0}: (0, {}), {1}: (0, {})}",
                                "{{0}: (18446744073709551616, {})}", "{{0,}: (0, {})}"}) {
        CAPTURE(std::string(aliases));
        CHECK(problem(header("input_output_alias=" + std::string(aliases) + ", " + layouts)).find("m.txt:1:") == 0);
    }
    const std::string once = "input_output_alias={{0}: (0, {})}, ";
    CHECK(problem(header(once + once + layouts)).find("expected input_output_alias only once") != std::string::npos);
    CHECK(problem(header("buffer_donor={ (0, {}), (0, {}) }, " + layouts)).find("each parameter once") !=
          std::string::npos);
    std::string twice = samples::old_style;
    twice.replace(twice.find("parameter(0)"), 12, "parameter(1)");
    CHECK(problem(twice).find("m.txt:9:14: found `f32[2,3]{1,0} parameter(1), par...`") == std::string::npos);
    CHECK(problem(twice).find("parameters numbered from 0 on, each once") != std::string::npos);
}

TEST_CASE("sums stay below 2^64") {
    const std::string half = "s8[9223372036854775808]{0}";
    const std::string rest = "s8[9223372036854775807]{0}";
    CHECK(sums_of(read(header("entry_computation_layout={(" + half + ")->" + rest + "}"))).at_least() ==
          ~std::uint64_t{0});
    CHECK(problem(header("entry_computation_layout={(" + half + ")->" + half + "}"))
              .find("less than 2^64 bytes together") != std::string::npos);
}

TEST_CASE("an output in device memory does not take over what lies in the memory of the host") {
    const module_sums sums = sums_of(read("HloModule m, input_output_alias={ {}: (0, {}, may-alias) }, "
                                          "entry_computation_layout={(f32[1024]{0:S(5)})->f32[1024]{0}}\n"));
    CHECK(sums.aliases == 0);
    CHECK(sums.outputs == 4096);
    CHECK(sums.at_least() == 4096);
    CHECK(sums.mismatches == 1);
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

}  // namespace hbm::test::module_tests
