// Readers of XLA dumps against damaged files: an error, or what is whole; nothing that crashes or hangs.

#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/assignment/assignment.hpp"
#include "compare/read/xla/assignment/describe_assignment.hpp"
#include "compare/read/xla/assignment/memory_report.hpp"
#include "compare/read/xla/module/module_config.hpp"
#include "compare/read/xla/program/join_program.hpp"
#include "compare/workloads/program_workload.hpp"
#include "compare/xla/dump_samples.hpp"
#include "support/damaged.hpp"

namespace hbm::test::dump_hostile_tests {

using namespace hbm::imported;

namespace {

/// Reads a damaged file of a kind, and does all that is done with what was read.
void use(file_kind kind, std::string_view text) {
    if (kind == file_kind::assignment) {
        const auto read = xla::read_assignment(text, "x");
        if (read) {
            hbm::json_writer json;
            write_description(json, "x", xla::describe(*read));
            for (const xla::buffer_value& each : read->values) {
                REQUIRE(each.allocation < read->allocations.size());
                REQUIRE(each.offset + each.bytes <= read->allocations[each.allocation].size.bytes);
            }
        } else {
            REQUIRE_FALSE(read.error().expected.empty());
        }
    } else if (kind == file_kind::report) {
        const auto read = xla::read_memory_report(text, "x");
        if (read)
            (void)xla::describe(*read);
        else
            REQUIRE_FALSE(read.error().expected.empty());
    } else if (kind == file_kind::config) {
        const auto read = xla::read_module_config(text, "x");
        if (read)
            (void)xla::describe(*read);
        else
            REQUIRE_FALSE(read.error().expected.empty());
    }
    if (text.size() % 4 != 0) return;
    // Beside the whole report and module, whatever the damaged file says.
    xla::program_files files;
    (void)xla::add_file(files, kind, text, "damaged");
    if (kind != file_kind::report) (void)xla::add_file(files, file_kind::report, dump_samples::report_text, "report");
    (void)xla::add_file(files, file_kind::module, dump_samples::module_text, "module");
    const auto joined = xla::join_program(files);
    REQUIRE(joined);
    const scheduled_program step{.what = *joined, .name = "step", .runs = 2, .every = 1};
    const auto load = program_workload_builder(std::span(&step, 1), "w").build();
    REQUIRE(load);
}

constexpr std::array<std::pair<file_kind, std::string_view>, 4> samples{{
    {file_kind::assignment, dump_samples::assignment_text},
    {file_kind::report, dump_samples::report_text},
    {file_kind::report, dump_samples::report_of_spaces},
    {file_kind::config, dump_samples::config_text},
}};

constexpr std::string_view pieces[] = {
    "{", "}", "|", "(", ")", "allocation 0: size 1:\n", "18446744073709551615", "\n", "\xff", "-1", "Memory Space: ",
    "[]"};

}  // namespace

TEST_CASE("a dump's file that ends after any byte") {
    for (const auto& [kind, text] : samples)
        for (std::size_t end = 0; end <= text.size(); ++end) {
            CAPTURE(end);
            use(kind, text.substr(0, end));
        }
}

TEST_CASE("a dump's file with random damage") {
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        hbm::testing::random_numbers numbers(seed);
        const auto& [kind, text] = samples[static_cast<std::size_t>(seed % samples.size())];
        CAPTURE(seed);
        use(kind, damaged(std::string(text), pieces, numbers));
    }
}

TEST_CASE("a dump's file doubled is refused or read as one") {
    for (const auto& [kind, text] : samples) use(kind, std::string(text) + std::string(text));
}

}  // namespace hbm::test::dump_hostile_tests
