// Reader of memory usage reports.

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/assignment/memory_report.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::memory_report_tests {

using namespace hbm::imported;
using xla::read_memory_report;

namespace {

std::string replaced(std::string_view from, std::string_view to) {
    std::string text(dump_samples::report_text);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

std::string complaint_of(std::string_view text) {
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
    CHECK(complaint_of("hello\n") == "r.txt: found no line `Total bytes used:` and no line `Memory Space:`, expected a "
                                     "memory usage report of XLA");
    CHECK(complaint_of(replaced("allocation 5: size 64.0KiB", "allocation 5: size 64.0Kib"))
              .starts_with("r.txt:7:50: found `64.0Kib, pre"));
    CHECK(complaint_of(replaced("\nallocation 5: size 64.0KiB", "\nallocation 5: size 63.0KiB"))
              .ends_with("expected allocation 5 as in the table before"));
    CHECK(complaint_of(replaced("Total bytes used: 93716 (91.5KiB)\n",
                                "Total bytes used: 93716 (91.5KiB)\nTotal bytes used: 1 (1B)\n"))
              .ends_with("found a second total, expected a single memory usage report"));
    CHECK(complaint_of("Memory Space: vmem (color=1)\nMemory Space: smem (color=1)\n")
              .ends_with("expected each memory space once"));
    CHECK(complaint_of("Total bytes: 5 (5B)\n").ends_with("expected `Memory Space:` before its total"));
}

}  // namespace hbm::test::memory_report_tests
