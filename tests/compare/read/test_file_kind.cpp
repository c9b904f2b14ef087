#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "compare/read/file_kind.hpp"

namespace hbm::test::file_kind_tests {

namespace {

using hbm::imported::file_kind;
using hbm::imported::recognise;

TEST_CASE("each kind is told by its own mark") {
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
    CHECK(recognise("PK\x03\x04") == file_kind::zip);
    CHECK(recognise("\x1f\x8b\x08") == file_kind::packed);
    CHECK(recognise(std::string_view("\xff\xfeH\0l\0o\0", 8)) == file_kind::wide_text);
    CHECK(recognise(std::string_view("\x08\x01\x00\x02", 4)) == file_kind::binary);
}

TEST_CASE("a mark in the middle of a line is none, and a message may hold anything") {
    CHECK(recognise("the HloModule f was large\n") == file_kind::unknown);
    CHECK(recognise("a log\n about BufferAssignment: out of memory\n") == file_kind::message);
    CHECK(recognise("HloModule f, entry_computation_layout={()->f32[]}\n// Ran out of memory in memory space hbm\n") ==
          file_kind::module);
}

TEST_CASE("nothing, blanks and other text are told apart") {
    CHECK(recognise("") == file_kind::empty);
    CHECK(recognise(" \r\n\t") == file_kind::empty);
    CHECK(recognise("op,id,bytes\n") == file_kind::unknown);
    CHECK(recognise("\x80") == file_kind::unknown);
}

}  // namespace

}  // namespace hbm::test::file_kind_tests
