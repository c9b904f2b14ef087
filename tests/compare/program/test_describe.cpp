#include <doctest/doctest.h>

#include <string>

#include "compare/program/compare_program.hpp"

namespace hbm::test::describe_tests {

namespace {

const std::string module_text = "HloModule jit_step, is_scheduled=true, entry_computation_layout={(f32[8]{0:T(128)}, "
                                "f32[2]{0})->f32[8]{0:T(128)}}\n"
                                "\n"
                                "ENTRY %main (p0: f32[8], p1: f32[2]) -> f32[8] {\n"
                                "  %p0 = f32[8]{0:T(128)} parameter(0)\n"
                                "  %p1 = f32[2]{0} parameter(1)\n"
                                "  ROOT %n = f32[8]{0:T(128)} negate(%p0)\n"
                                "}\n";

TEST_CASE("--describe says what is in files, in the order given, as JSON") {
    const workplace here;
    here.write("a.txt", module_text);
    here.write("b.txt", "HloModule b, entry_computation_layout={()->s32[]}\n");
    const ending done = here.run("--describe a.txt b.txt");
    CHECK(done.err.empty());
    CHECK(done.status == 0);
    CHECK(done.out.find(R"({"schema":"hbm-describe/1","files":[{"file":"a.txt","kind":"module","name":"jit_step",)"
                        R"("argument_bytes":520,"output_bytes":512,"alias_bytes":0,"temp_bytes":null,)") == 0);
    CHECK(done.out.find(R"("saved_bytes":512)") != std::string::npos);
    CHECK(done.out.find(R"({"file":"b.txt","kind":"module","name":"b","argument_bytes":0,"output_bytes":4,)") !=
          std::string::npos);
    CHECK(here.run("--describe a.txt --describe=b.txt").out == done.out);
    CHECK(here.run("--describe a.txt b.txt -o out.json").status == 0);
    CHECK(here.read("out.json") == done.out);
    CHECK(here.run("--describe a.txt -o a.txt").status == 2);
    CHECK(here.read("a.txt") == module_text);
}

TEST_CASE("--describe names the place of what is wrong, and what to bring") {
    const workplace here;
    here.write("wrong.txt", "HloModule m, entry_computation_layout={(f33[8])->s32[]}\n");
    here.write("mlir.txt", "module @jit_f {\n  func.func public @main() {\n}\n");
    here.write("empty.txt", "");
    here.write("other.txt", "op,id,bytes\n");
    here.write("packed.xz", "\xfd\x37zXZ");
    here.write("damaged.gz", "\x1f\x8b\x08");
    const auto refused = [&](const std::string& file) { return here.refusal("--describe " + file); };
    CHECK(refused("wrong.txt") == "hbm_compare: wrong.txt:1:41: found `f33[8])->s32[]}`, expected an element type such "
                                  "as f32, bf16, s32 or pred\n");
    CHECK(refused("mlir.txt").find("compiled.as_text()") != std::string::npos);
    CHECK(refused("empty.txt").find("found an empty file") != std::string::npos);
    CHECK(refused("other.txt").find("expected an HLO module") != std::string::npos);
    CHECK(refused("packed.xz").find("xz -d") != std::string::npos);
    CHECK(refused("damaged.gz").find("gzip") != std::string::npos);
    CHECK(refused("missing.txt").find("cannot be read") != std::string::npos);
    CHECK(here.run("--describe").err.find("expected --describe FILE...") != std::string::npos);
    CHECK(here.run("--describe ''").status == 2);
}

TEST_CASE("what is packed with gzip is unpacked") {
    const workplace here;
    here.write("a.txt", module_text);
    REQUIRE(here.shell("gzip -k a.txt").status == 0);
    const ending plain = here.run("--describe a.txt");
    const ending packed = here.run("--describe a.txt.gz");
    if (packed.err.find("built without zlib") != std::string::npos) return;
    CHECK(packed.status == 0);
    CHECK(packed.out.size() == plain.out.size() + 3);
}

}  // namespace

}  // namespace hbm::test::describe_tests
