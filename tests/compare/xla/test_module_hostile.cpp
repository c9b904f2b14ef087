#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "compare/read/file_kind.hpp"
#include "compare/read/xla/donation/donation_text.hpp"
#include "compare/read/xla/module/describe_module.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/module/read_module.hpp"
#include "compare/xla/module_samples.hpp"

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
    const std::string interesting = "(){}[],:\"\\=*<>%/\n\r\t 0189ST\x80\xff";
    for (std::uint64_t seed = 0; seed < 4000; ++seed) {
        CAPTURE(seed);
        std::mt19937_64 random{seed};
        std::string text = all_samples()[random() % all_samples().size()];
        for (std::uint64_t change = 1 + random() % 4; change != 0; --change) {
            const std::size_t at = random() % text.size();
            const std::size_t length = 1 + random() % 20;
            switch (random() % 5) {
            case 0:
                text[at] = static_cast<char>(random());
                break;
            case 1:
                text[at] = interesting[random() % interesting.size()];
                break;
            case 2:
                text.insert(at, text.substr(random() % text.size(), length));
                break;
            case 3:
                text.erase(at, length);
                if (text.empty()) text = "H";
                break;
            case 4:
                text.insert(at, "18446744073709551615");
                break;
            }
        }
        survive(text);
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
