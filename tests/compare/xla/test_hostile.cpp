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
#include "compare/read/xla/assignment/memory_report.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/module/module_config.hpp"
#include "compare/read/xla/program/join_program.hpp"
#include "compare/workloads/program_workload.hpp"
#include "compare/xla/dump_samples.hpp"
#include "compare/xla/module_samples.hpp"
#include "support/damaged.hpp"

namespace hbm::test::hostile_tests {

namespace {

using namespace hbm::imported;
using namespace hbm::imported::xla;

/// Reads a text that may be anything: an error has words and a place inside the text, a module holds together.
void survive(const std::string& text) {
    (void)recognise(text);
    const reading<hlo_module> module = read_module(text, "m.txt");
    if (!module) {
        CHECK(!module.error().expected.empty());
        CHECK(!module.error().found.empty());
        CHECK(module.error().line != 0);
        CHECK(module.error().column <= text.size() + 1);
        return;
    }
    const module_sums sums = sums_of(*module);
    CHECK(sums.aliases <= sums.outputs);
    CHECK(sums.at_least() >= sums.arguments);
    for (const program_alias& each : module->aliases) {
        REQUIRE(each.output < module->outputs.size());
        REQUIRE(each.argument < module->arguments.size());
    }
    const donation_question question = donation_question_of(*module);
    const donation_advice advice = advise_donation(question);
    if (sums.mismatches == 0) CHECK(held_bytes(follow(question, advice)) <= held_bytes(question));
    (void)donation_text(question);
    CHECK(describe(*module).arguments->size() == module->arguments.size());
}

const std::vector<std::string>& all_samples() {
    static const std::vector<std::string> all{samples::compiled_step, samples::old_style, samples::whole_arrays};
    return all;
}

TEST_CASE("texts that end anywhere, or begin anywhere") {
    for (const std::string& sample : all_samples())
        for (std::size_t at = 0; at <= sample.size(); ++at) {
            CAPTURE(at);
            survive(sample.substr(0, at));
            survive("HloModule " + sample.substr(at));
        }
}

TEST_CASE("texts with bytes that are wrong, missing, moved or repeated") {
    constexpr std::string_view pieces[] = {
        "(", ")", "{", "}",  "[",  "]",  ",", ":", "\"", "\\", "=",    "*",    "<",
        ">", "%", "/", "\n", "\r", "\t", "0", "9", "S",  "T",  "\x80", "\xff", "18446744073709551615"};
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        CAPTURE(seed);
        testing::random_numbers random{seed};
        survive(damaged(all_samples()[random.below(all_samples().size())], pieces, random));
    }
}

TEST_CASE("deep and long texts are refused or read, but do not exhaust stack or time") {
    constexpr std::size_t many = 200'000;
    for (const char* bracket :
         {"(", "{", "[", "\"", "((", "{\"", "/*", ",a=", "ENTRY ", "HloModule ", " ", "\n", "\\"}) {
        std::string repeated;
        for (std::size_t at = 0; at < many; ++at) repeated += bracket;
        CAPTURE(std::string(bracket));
        survive("HloModule m, entry_computation_layout={" + repeated);
        survive("HloModule m, frontend_attributes=" + repeated);
        survive("HloModule m, input_output_alias=" + repeated);
        survive("HloModule m" + repeated);
        survive("HloModule m\nENTRY e {\n p = " + repeated);
        survive("HloModule m\nENTRY e {\n p = f32[] parameter(0), sharding={" + repeated + "}\n}\n");
        survive(repeated);
    }
}

}  // namespace

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

TEST_CASE("a configuration that is nested deep is refused, and many empty lists are read without a call for each") {
    std::string deep = "entry_computation_layout {}";
    for (int at = 0; at < 100'000; ++at) deep += "a{";
    const auto refused = xla::read_module_config(deep, "c.txt");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message().find("nested deeper than 32") != std::string::npos);
    std::string text = "entry_computation_layout {}";
    for (int at = 0; at < 300'000; ++at) text += " a:[]";
    CHECK(xla::read_module_config(text, "c.txt"));
}

TEST_CASE("a dump's file doubled is refused or read as one") {
    for (const auto& [kind, text] : samples) use(kind, std::string(text) + std::string(text));
}

}  // namespace hbm::test::hostile_tests
