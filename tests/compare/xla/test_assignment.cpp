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
