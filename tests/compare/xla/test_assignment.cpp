// Reader of buffer assignments.

#include <doctest/doctest.h>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/assignment/memory_report.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::assignment_tests {

using namespace hbm::imported;
using xla::read_assignment;

namespace {

std::string complaint_of(std::string_view text) {
    const auto read = read_assignment(text, "a.txt");
    return read ? std::string{} : read.error().message();
}

std::string replaced(std::string_view from, std::string_view to) {
    std::string text(dump_samples::assignment_text);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("an assignment gives its allocations with their flags, and its values") {
    const auto read = read_assignment(dump_samples::assignment_text, "a.txt");
    REQUIRE(read);
    REQUIRE(read->allocations.size() == 8);
    const xla::allocation& state = read->allocations[0];
    CHECK(state.size == rounded_size{16384, 16384, 16384});
    CHECK(state.parameter == 0);
    CHECK(state.index.empty());
    CHECK(state.shape == "f32[16,192]");
    CHECK(state.is_live_out);
    CHECK_FALSE(state.is_temporary);
    CHECK(read->allocations[2].has_result);
    CHECK_FALSE(read->allocations[2].parameter);
    CHECK(read->allocations[4].is_constant);
    CHECK(read->allocations[5].is_temporary);
    CHECK(read->allocations[6].color == 1);
    CHECK(read->allocations[7].is_per_thread);
    REQUIRE(read->values.size() == 8);
    const xla::buffer_value& merged = read->values[4];
    CHECK(merged.id == 6);
    CHECK(merged.name == "while.3");
    CHECK(merged.index == index_path{1});
    CHECK(read->values[6].offset == 49152);
    CHECK(read->values[6].allocation == 5);
    CHECK(read->used_bytes == 93716);
    CHECK(read->has_all_allocations());
    CHECK(read->cut_line == xla::not_cut);
    CHECK(read->schedule_length == 6);
    CHECK(read->busiest_at == 3);
    CHECK(read->busiest_unpadded == 16384);
}

TEST_CASE("only HBM counts, and what is per thread or in another memory space is told apart") {
    const auto read = read_assignment(dump_samples::assignment_text, "a.txt");
    REQUIRE(read);
    const xla::memory_classes sums = classify(read->allocations);
    CHECK(sums.argument.bytes == 16384 + 8192);
    CHECK(sums.output.bytes == 16384 + 16 + 512);
    CHECK(sums.alias.bytes == 16384);
    CHECK(sums.temporary.bytes == 65536);
    CHECK(sums.constant.bytes == 1024);
    CHECK(sums.per_thread.bytes == 4);
    CHECK(sums.peak.bytes == 93716 - 4 - 2048);
    CHECK(sums.other_spaces.size() == 1);
    CHECK(sums.other_spaces.at(1).bytes == 2048);
    CHECK(output_table_bytes(*read) == 16);
}

TEST_CASE("outputs have their index, and the parameter whose place they take") {
    const auto read = read_assignment(dump_samples::assignment_text, "a.txt");
    REQUIRE(read);
    REQUIRE(read->has_all_outputs);
    REQUIRE(read->outputs.size() == 2);
    CHECK(read->outputs[0].index == index_path{0});
    CHECK(read->outputs[0].bytes == 16384);
    CHECK(read->outputs[0].parameter == 0);
    CHECK(read->outputs[1].index == index_path{1});
    CHECK(read->outputs[1].bytes == 512);
    CHECK_FALSE(read->outputs[1].parameter);

    const auto single = read_assignment("BufferAssignment:\n"
                                        "allocation 0: size 8, output shape is |u32[2]|, maybe-live-out:\n"
                                        " value: <1 a b{0} @0> (size=8,offset=0): u32[2]{0}\n"
                                        "\nTotal bytes used: 8 (8B)\n",
                                        "a.txt");
    REQUIRE(single);
    CHECK(single->has_all_outputs);
    REQUIRE(single->outputs.size() == 1);
    CHECK(single->outputs[0].index.empty());
    CHECK(single->values[0].name == "a b");
}

TEST_CASE("of several values in the place of the result, the last of its shape is the result") {
    const auto read = read_assignment("BufferAssignment:\n"
                                      "allocation 0: size 8, output shape is |(u32[2])|, maybe-live-out:\n"
                                      " value: <1 early{} @0> (size=8,offset=0): (u32[2]{0})\n"
                                      " value: <2 root{} @0> (size=8,offset=0): (u32[2]{0})\n"
                                      " value: <3 scratch @0> (size=8,offset=0): u32[1]{0}\n"
                                      "allocation 1: size 16, maybe-live-out:\n"
                                      " value: <4 a @0> (size=8,offset=0): u32[2]{0}\n"
                                      "allocation 2: size 4, maybe-live-out:\n"
                                      " value: <5 b @0> (size=4,offset=0): u32[1]{0}\n"
                                      "\nTotal bytes used: 28 (28B)\n\nUsed values:\n"
                                      "<4 a @0>\n positions:\n  a\n  root {0}\n uses:\n"
                                      "<5 b @0>\n positions:\n  early {0}\n uses:\n"
                                      "\nHloLiveRange (max 1):\n",
                                      "a.txt");
    REQUIRE(read);
    REQUIRE(read->outputs.size() == 1);
    CHECK(read->outputs[0].bytes == 8);
    CHECK(read->outputs[0].allocation == 1);
    CHECK(read->has_all_outputs);
}

TEST_CASE("the style of 2022 has pointers, and flags that are unknown are left out") {
    const auto read =
        read_assignment("BufferAssignment:\r\n"
                        "allocation 0: 0x15c664b0, size 8192, color 5, page 3, parameter 3, shape |(f32[2], "
                        "constant: {x})| at ShapeIndex {1, 0}, brand-new:\r\n"
                        "\r\nTotal bytes used: 8192 (8.0KiB)\r\n",
                        "a.txt");
    REQUIRE(read);
    REQUIRE(read->allocations.size() == 1);
    const xla::allocation& found = read->allocations[0];
    CHECK(found.size.bytes == 8192);
    CHECK(found.color == 5);
    CHECK(found.index == index_path{1, 0});
    CHECK(found.shape == "(f32[2], constant: {x})");
    CHECK_FALSE(found.is_constant);
    CHECK(found.unknown_flag == "brand-new");
    CHECK(read->first_unknown_flag_line == 2);
}

TEST_CASE("a file that was cut gives what is whole, and where it stopped") {
    const std::string_view whole = dump_samples::assignment_text;
    const auto cut_at = [&](std::string_view words) { return whole.substr(0, whole.find(words)); };

    const auto in_allocations = read_assignment(cut_at(" 4: size 1024"), "a.txt");
    REQUIRE(in_allocations);
    CHECK(in_allocations->allocations.size() == 4);
    CHECK_FALSE(in_allocations->has_all_allocations());
    CHECK_FALSE(in_allocations->used_bytes);
    CHECK(in_allocations->cut_line == 11);
    CHECK_FALSE(xla::describe(*in_allocations).argument_bytes);
    CHECK_FALSE(xla::describe(*in_allocations).outputs);

    const auto in_positions = read_assignment(cut_at("  tuple.4 {1}"), "a.txt");
    REQUIRE(in_positions);
    CHECK(in_positions->has_all_allocations());
    CHECK_FALSE(in_positions->has_all_outputs);
    CHECK(in_positions->outputs.size() == 1);
    CHECK(in_positions->cut_line != xla::not_cut);
    CHECK(xla::describe(*in_positions).argument_bytes == 24576);

    const auto in_total = read_assignment(cut_at("716 (91.5KiB)"), "a.txt");
    REQUIRE(in_total);
    CHECK_FALSE(in_total->used_bytes);

    std::string missing(whole);
    const std::size_t begin = missing.find("allocation 4");
    missing.erase(begin, missing.find("allocation 5") - begin);
    const auto in_middle = read_assignment(missing, "a.txt");
    REQUIRE(in_middle);
    CHECK(in_middle->used_bytes == 93716);
    CHECK_FALSE(in_middle->has_all_allocations());
}

TEST_CASE("what is malformed is refused with its line, its column and the remedy") {
    CHECK(complaint_of("HloModule x\n") ==
          "a.txt: found no line `BufferAssignment:`, expected a buffer assignment of XLA");
    CHECK(complaint_of(replaced("size 16384", "size many")).starts_with("a.txt:2:20: found `many, parameter"));
    CHECK(complaint_of(replaced("(size=512,offset=0)", "(size=512,offset=1)"))
              .ends_with("expected a value that ends inside its allocation of 512 bytes"));
    CHECK(complaint_of(replaced("allocation 6:", "allocation 5:")) ==
          "a.txt:15:12: found allocation 5 a second time, first in line 13, expected each allocation once: a single "
          "buffer assignment");
    CHECK(complaint_of(replaced("Total bytes used: 93716", "Total bytes used: 93715"))
              .ends_with("expected at least the 93716 bytes of the allocations above"));
    CHECK(complaint_of(replaced("Total bytes used", "Totalbytes used")).starts_with("a.txt:19:1: found `Totalbytes"));
    CHECK(complaint_of(replaced("size 2048", "size 18446744073709551616")).starts_with("a.txt:15:20: found "));
    CHECK(complaint_of("BufferAssignment:\n value: <0 p @0> (size=1,offset=0): f32[]\n") ==
          "a.txt:2:9: found `<0 p @0> (size=1,offset=0): f32[]`, expected an allocation before its values");
}

TEST_CASE("sizes near 2^64 do not wrap") {
    const auto read =
        read_assignment("BufferAssignment:\n"
                        "allocation 0: size 18446744073709551615, parameter 0, shape |f32[]| at ShapeIndex "
                        "{}:\n"
                        "allocation 1: size 18446744073709551615, maybe-live-out:\n"
                        "\nTotal bytes used: 18446744073709551615 (16.00EiB)\n",
                        "a.txt");
    REQUIRE(read);
    CHECK(classify(read->allocations).peak.bytes == ~std::uint64_t{0});
}

TEST_CASE("the description says what the file says, and null for the rest") {
    const auto read = read_assignment(dump_samples::assignment_text, "a.txt");
    REQUIRE(read);
    hbm::json_writer json;
    write_description(json, "a.txt", xla::describe(*read));
    const std::string& text = json.text();
    CHECK(text.starts_with(
        R"({"file":"a.txt","kind":"assignment","name":null,"argument_bytes":24576,"output_bytes":16912,)"
        R"("alias_bytes":16384,"temp_bytes":65536,"constant_bytes":1024,"peak_bytes":91664,)"));
    CHECK(text.find(R"("aliases":[{"output":[0],"parameter":0,"index":[],"kind":"may-alias"}])") != std::string::npos);
    CHECK(text.find(R"("other_memory_bytes":{"1":2048})") != std::string::npos);
    CHECK(text.find(R"("code_bytes":null)") != std::string::npos);
    // Argument 0 is taken over already; no output has the size of the other.
    CHECK(text.find(R"("donation":{"saved_bytes":0,)") != std::string::npos);
}

namespace {

using xla::read_memory_report;

std::string report_with(std::string_view from, std::string_view to) {
    std::string text(dump_samples::report_text);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string report_error_of(std::string_view text) {
    const auto read = read_memory_report(text, "r.txt");
    return read ? std::string{} : read.error().message();
}

}  // namespace

TEST_CASE("a report gives each allocation once, with the bounds of its rounded size") {
    const auto read = read_memory_report(dump_samples::report_text, "r.txt");
    REQUIRE(read);
    CHECK(read->used_bytes == 93716);
    CHECK(read->total_bytes() == 93716);
    CHECK(read->not_shown == 5);
    CHECK(read->allocation_count == 8);
    REQUIRE(read->allocations.size() == 8);
    CHECK(read->has_all_allocations());
    CHECK(read->cut_line == xla::not_cut);
    CHECK(read->allocations[0].number == 5);
    CHECK(read->allocations[1].parameter == 0);
    CHECK(read->allocations[1].is_live_out);
    CHECK(read->allocations[1].size.bytes == 16384);
    CHECK(read->allocations[1].size.low < 16384);
    CHECK(read->allocations[1].size.high > 16384);
    CHECK(read->allocations[5].size.is_exact());
    const xla::memory_classes sums = classify(read->allocations);
    CHECK(sums.argument.bytes == 24576);
    CHECK(sums.peak.low <= 93716 - 4 - 2048);
    CHECK(sums.peak.high >= 93716 - 4 - 2048);
    CHECK(sums.other_spaces.at(1).bytes == 2048);
}

TEST_CASE("a report since 2026 has a total and tables for each memory space") {
    const auto read = read_memory_report(dump_samples::report_of_spaces, "r.txt");
    REQUIRE(read);
    REQUIRE(read->spaces.size() == 2);
    CHECK(read->spaces[0].name == "default");
    CHECK(read->spaces[1].color == 1);
    CHECK(read->spaces[1].bytes == 2048);
    CHECK_FALSE(read->used_bytes);
    CHECK(read->total_bytes() == 26624);
    CHECK(read->allocations.size() == 3);
    CHECK(read->has_all_allocations());
    CHECK(classify(read->allocations).temporary.bytes == 0);
}

TEST_CASE("a memory space that comes twice, by color or by name, is an error") {
    for (const char* const second : {"hbm (color=1)", "vmem (color=2)"}) {
        const auto read = read_memory_report("Memory Space: vmem (color=1)\n"
                                             "Total bytes: 512 (512B)\n"
                                             "Memory Space: " +
                                                 std::string(second) + "\nTotal bytes: 512 (512B)\n",
                                             "r.txt");
        REQUIRE_FALSE(read);
        CHECK(read.error().line == 3);
        CHECK(read.error().expected == "each memory space once");
    }
}

TEST_CASE("a line without a color is in the memory space of its table") {
    const auto read = read_memory_report("Memory Space: vmem (color=1)\n"
                                         "Total bytes: 512 (512B)\n"
                                         "Allocations sorted by size:\n"
                                         "     512B(100%);         0B; allocation 0: size 512B, preallocated-temp:\n"
                                         "Allocations sorted by size with their values:\n"
                                         "allocation 0: size 512B, preallocated-temp:\n",
                                         "r.txt");
    REQUIRE(read);
    CHECK(read->has_all_allocations());
    CHECK(read->allocations[0].color == 1);
    CHECK(classify(read->allocations).temporary.bytes == 0);
}

TEST_CASE("a report that was cut says that allocations are missing") {
    const std::string_view whole = dump_samples::report_text;
    const auto in_first = read_memory_report(whole.substr(0, whole.find("The rest")), "r.txt");
    REQUIRE(in_first);
    CHECK(in_first->allocations.size() == 3);
    CHECK_FALSE(in_first->allocation_count);
    CHECK_FALSE(in_first->has_all_allocations());
    CHECK(in_first->cut_line == 9);
    CHECK_FALSE(xla::describe(*in_first).temp_bytes);

    const auto in_second = read_memory_report(whole.substr(0, whole.find("allocation 3")), "r.txt");
    REQUIRE(in_second);
    CHECK(in_second->allocation_count == 8);
    CHECK_FALSE(in_second->has_all_allocations());
    CHECK(in_second->cut_line != xla::not_cut);

    const auto in_line = read_memory_report(whole.substr(0, whole.find("ve-out:\n   88")), "r.txt");
    REQUIRE(in_line);
    CHECK(in_line->cut_line == 8);
    CHECK(in_line->allocations.size() == 1);
}

TEST_CASE("a malformed report is refused with its line and column") {
    CHECK(report_error_of("hello\n") ==
          "r.txt: found no line `Total bytes used:` and no line `Memory Space:`, expected a "
          "memory usage report of XLA");
    CHECK(report_error_of(report_with("allocation 5: size 64.0KiB", "allocation 5: size 64.0Kib"))
              .starts_with("r.txt:7:50: found `64.0Kib, pre"));
    CHECK(report_error_of(report_with("\nallocation 5: size 64.0KiB", "\nallocation 5: size 63.0KiB"))
              .ends_with("expected allocation 5 as in the table before"));
    CHECK(report_error_of(report_with("Total bytes used: 93716 (91.5KiB)\n",
                                      "Total bytes used: 93716 (91.5KiB)\nTotal bytes used: 1 (1B)\n"))
              .ends_with("found a second total, expected a single memory usage report"));
    CHECK(report_error_of("Memory Space: vmem (color=1)\nMemory Space: smem (color=1)\n")
              .ends_with("expected each memory space once"));
    CHECK(report_error_of("Total bytes: 5 (5B)\n").ends_with("expected `Memory Space:` before its total"));
}

}  // namespace hbm::test::assignment_tests
