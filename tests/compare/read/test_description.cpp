#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/description.hpp"
#include "compare/read/file_kind.hpp"
#include "compare/text/text.hpp"
#include "pprof_sample.hpp"

namespace hbm::test::description_tests {

namespace {

using namespace hbm::imported;

std::string json_of(const description& found) {
    hbm::json_writer json;
    write_description(json, "a \"file\"", found);
    return json.text();
}

TEST_CASE("modules_in: each module of a text, with what is before the first") {
    using imported::modules_in;
    CHECK(modules_in("ENTRY main {}\n").size() == 1);
    CHECK(modules_in("HloModule a\nENTRY x {}\n") == std::vector<std::string>{"HloModule a\nENTRY x {}\n"});
    CHECK(modules_in("// log\nHloModule a\n\nHloModule b\nENTRY y {}\n") ==
          std::vector<std::string>{"// log\nHloModule a\n\n", "HloModule b\nENTRY y {}\n"});
    CHECK(modules_in("I0101 00:00:17.3 42 d.cc:9] HloModule a\nI0101 00:00:17.4 42 d.cc:9] HloModule b\n"
                     "I0101 00:00:17.5 42 d.cc:9] ENTRY e {\n") ==
          std::vector<std::string>{"HloModule a\n", "HloModule b\nENTRY e {\n"});
}

TEST_CASE("a description: what a file does not say is null, and nothing is not unknown") {
    description found{file_kind::module};
    found.name = "jit_f";
    found.temp_bytes = 0U;
    found.arguments = described::list{described::fields{
        {"parameter", 2U}, {"index", std::vector<std::uint64_t>{0, 1}}, {"bytes", ~std::uint64_t{0}}}};
    found.outputs = described::list{};
    found.more = {{"tiled", true}, {"bytes", std::int64_t{-1}}, {"code_bytes", {}}};
    CHECK(json_of(found) ==
          R"({"file":"a \"file\"","kind":"module","name":"jit_f","argument_bytes":null,"output_bytes":null,)"
          R"("alias_bytes":null,"temp_bytes":0,"constant_bytes":null,"peak_bytes":null,)"
          R"("arguments":[{"parameter":2,"index":[0,1],"bytes":18446744073709551615}],"outputs":[],"aliases":null,)"
          R"("tiled":true,"bytes":-1,"code_bytes":null})");
}

using hbm::imported::file_kind;
using hbm::imported::recognise;

TEST_CASE("recognise: finds each kind by its own mark") {
    CHECK(recognise("HloModule jit_f, is_scheduled=true\n") == file_kind::module);
    CHECK(recognise("\xEF\xBB\xBFHloModule jit_f\r\n") == file_kind::module);
    CHECK(recognise("const text = `HloModule f.3\n`") == file_kind::module);
    CHECK(recognise("BufferAssignment:\nallocation 0: size 4\n\nTotal bytes used: 4 (4B)\n") == file_kind::assignment);
    CHECK(recognise("Total bytes used: 4 (4B)\n\nAllocations sorted by size:\n") == file_kind::report);
    CHECK(recognise("Memory Space: default (color=0)\n") == file_kind::report);
    CHECK(recognise("name: \"jit_f\"\nentry_computation_layout {\n}\n") == file_kind::config);
    CHECK(recognise("module @jit_f attributes {} {\n") == file_kind::mlir);
    CHECK(recognise("  %0 = stablehlo.add %a, %b : tensor<4xf32>\n") == file_kind::mlir);
    CHECK(recognise("E: Ran out of memory in memory space hbm. Used 2.00G of 1.00G hbm.") == file_kind::message);
    CHECK(recognise(std::string_view("\x0a\x08\x08\x01\x10\x02\x12\x00", 8)) == file_kind::profile);
    CHECK(recognise("\x80\x04\x95") == file_kind::snapshot);
    CHECK(recognise("PK\x03\x04") == file_kind::packed);
    CHECK(recognise("\x1f\x8b\x08") == file_kind::packed);
    CHECK(recognise(std::string_view("\xff\xfeH\0l\0o\0", 8)) == file_kind::wide_text);
    CHECK(recognise(std::string_view("\x08\x01\x00\x02", 4)) == file_kind::binary);
}

TEST_CASE("recognise: tells binary protos apart by their first fields") {
    using sample::bytes_field;
    using sample::number_field;
    const std::string module = bytes_field(1, "jit_step") + bytes_field(2, "main.9") + number_field(5, 7);
    CHECK(recognise(module) == file_kind::hlo_proto);
    CHECK(recognise(bytes_field(1, module) + bytes_field(3, "x")) == file_kind::hlo_proto);
    const std::string plane = bytes_field(2, "/device:TPU:0") + bytes_field(3, number_field(1, 1));
    CHECK(recognise(bytes_field(1, number_field(1, 3) + plane)) == file_kind::xplane);
    CHECK(recognise(bytes_field(1, plane)) == file_kind::xplane);
    CHECK(recognise(sample::small_profile()) == file_kind::profile);
    CHECK(recognise(std::string("\x0a\x01", 2)) == file_kind::profile);
    CHECK(recognise(std::string("\x0b\x01", 2)) == file_kind::binary);
}

TEST_CASE("a mark in the middle of a line is none, and a message may hold anything") {
    CHECK(recognise("the HloModule f was large\n") == file_kind::unknown);
    CHECK(recognise("a log\n about BufferAssignment: out of memory\n") == file_kind::message);
    CHECK(recognise("HloModule f, entry_computation_layout={()->f32[]}\n// Ran out of memory in memory space hbm\n") ==
          file_kind::module);
}

TEST_CASE("recognise: a module in a log with a stamp before each line") {
    CHECK(recognise("start\nI0000 00:00:17.5 1 dump.cc:9] HloModule m\nI0000 00:00:17.6 1 dump.cc:9] ENTRY e {\n") ==
          file_kind::module);
    CHECK(recognise("Compiling HloModule jit_f\nENTRY is a word\n") == file_kind::unknown);
}

TEST_CASE("recognise: distinguishes an empty file, blanks and other text") {
    CHECK(recognise("") == file_kind::empty);
    CHECK(recognise(" \r\n\t") == file_kind::empty);
    CHECK(recognise("op,id,bytes\n") == file_kind::trace);
    CHECK(recognise("# a comment\nid,lower,upper,size\n1,0,2,8\n") == file_kind::trace);
    CHECK(recognise("step,bytes_in_use\n1,100\n") == file_kind::samples);
    CHECK(recognise("Init model | hbm=[(3.50, 31.25)]Gb\n") == file_kind::samples);
    CHECK(recognise("op,id\n") == file_kind::unknown);
    CHECK(recognise("\x80") == file_kind::unknown);
}

}  // namespace

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

}  // namespace hbm::test::description_tests
