#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/module/describe_module.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/xla/module_samples.hpp"
#include "support/damaged.hpp"

namespace hbm::test::module_hostile_tests {

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

}  // namespace hbm::test::module_hostile_tests
