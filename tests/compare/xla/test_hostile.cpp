// Texts that are deep, long or doubled. (Damaged ones are those of the fuzz targets.)

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "compare/read/file_kind.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/xla/assignment.hpp"
#include "compare/read/xla/module.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::hostile_tests {

using namespace hbm::imported;

TEST_CASE("deep and long texts are refused or read, but do not exhaust stack or time") {
    constexpr std::size_t many = 200'000;
    for (const char* bracket :
         {"(", "{", "[", "\"", "((", "{\"", "/*", ",a=", "ENTRY ", "HloModule ", " ", "\n", "\\"}) {
        std::string repeated;
        for (std::size_t at = 0; at < many; ++at) repeated += bracket;
        CAPTURE(std::string(bracket));
        for (const std::string& text :
             {"HloModule m, entry_computation_layout={" + repeated, "HloModule m, frontend_attributes=" + repeated,
              "HloModule m, input_output_alias=" + repeated, "HloModule m" + repeated,
              "HloModule m\nENTRY e {\n p = " + repeated,
              "HloModule m\nENTRY e {\n p = f32[] parameter(0), sharding={" + repeated + "}\n}\n", repeated}) {
            (void)recognise(text);
            try {
                (void)describe(read_module(text, "m.txt"));
            } catch (const hbm::trace::read_error& error) {
                CHECK(!error.expected.empty());
            }
        }
    }
}

TEST_CASE("a module whose tuples have more than 50,000 arrays together is refused") {
    const auto module_of = [](std::size_t arrays) {
        std::string tuple = "(f32[]";
        for (std::size_t at = 1; at < arrays; ++at) tuple += ",f32[]";
        return read_module("HloModule m\nENTRY e {\n p = " + tuple + ") parameter(0)\n q = " + tuple +
                               ") parameter(1)\n ROOT r = f32[] constant(1)\n}\n",
                           "m.txt");
    };
    CHECK(module_of(25'000).arguments.size() == 50'000);
    CHECK_THROWS_WITH((void)module_of(25'001), doctest::Contains("expected at most 50000 arrays"));
}

TEST_CASE("an output whose value is a long tuple is left out, for many outputs would copy its shape") {
    std::string text(dump_samples::assignment_text);
    constexpr std::string_view shape = "f32[]{:T(128)}\nallocation 4";
    const std::size_t at = text.find(shape);
    REQUIRE(at != std::string::npos);
    REQUIRE(read_assignment(text, "a.txt").outputs.size() == 2);
    std::string tuple = "f32[]";
    while (tuple.size() < 1000) tuple += ", f32[]";
    text.insert(at, "(" + tuple + ", ");
    text.insert(text.find("\nallocation 4"), ")");
    const assignment read = read_assignment(text, "a.txt");
    CHECK(read.outputs.size() == 1);
    CHECK_FALSE(read.has_all_outputs);
}

TEST_CASE("a dump's file doubled is refused or read as one") {
    const auto twice = [](std::string_view text) { return std::string(text) + std::string(text); };
    CHECK(read_assignment(twice(dump_samples::assignment_text), "x").allocations.size() == 8);
}

}  // namespace hbm::test::hostile_tests
