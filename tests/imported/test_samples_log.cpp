// What a program printed of memory_stats() in a log, as samples.
#include <hbm/imported/samples.hpp>
#include <hbm/imported/samples_log.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace hbm::test::samples_log_tests {

using namespace hbm;
using imported::samples_in_log;

namespace {

std::string printed(const std::string& before, const std::string& after, std::size_t lines = 8) {
    std::string text = "starting\n";
    for (std::size_t at = 0; at < lines; ++at)
        text += before + std::to_string(100 + 10 * at) + ", 'bytes_in_use': " + std::to_string(4096 * at) + after +
                "\nloss 0.1\n";
    return text;
}

}  // namespace

TEST_CASE("dictionaries of Python and objects of JSON become rows, with the steps that their lines name") {
    CHECK(samples_in_log(printed("step ", ", 'bytes_limit': 65536}"))
              .starts_with(
                  "step,bytes_in_use,peak_bytes_in_use,bytes_limit,bytes_reserved\n100,0,,65536,\n110,4096,,65536,\n"));
    for (const std::string before : {"Step: ", "step=", "{\"step\": ", "{'step':", "2026 [I] step #1 Xstep "})
        CHECK(samples_in_log(printed(before, ""))
                  .starts_with(before.find('#') == std::string::npos ? "step,bytes_in_use," : "bytes_in_use,"));
    CHECK(samples_in_log(printed("", ""))
              .starts_with("bytes_in_use,peak_bytes_in_use,bytes_limit,bytes_reserved\n0,,,\n"));
    std::string json;
    for (int at = 0; at < 8; ++at)
        json += "{\"peak_bytes_in_use\": 9, \"bytes_in_use\":" + std::to_string(at) + ", \"bytes_reserved\": 3}\n";
    CHECK(samples_in_log(json).starts_with(
        "bytes_in_use,peak_bytes_in_use,bytes_limit,bytes_reserved\n0,9,,3\n1,9,,3\n"));
}

TEST_CASE("what they become is read as samples") {
    const imported::samples_result read =
        imported::read_samples(samples_in_log(printed("step ", ", 'bytes_limit': 9}")), "a");
    REQUIRE(!read.error);
    REQUIRE(read.devices.size() == 1);
    REQUIRE(read.devices.front().samples.size() == 8);
    CHECK(read.devices.front().samples.back().position == 170);
    CHECK(read.devices.front().samples.back().in_use == 7 * 4096);
    CHECK(read.devices.front().limit == 9);
}

TEST_CASE("few lines, other words, and numbers beyond 64 bits are no samples") {
    CHECK(samples_in_log("").empty());
    CHECK(samples_in_log(printed("step ", "", 7)).empty());
    std::string other;
    for (int at = 0; at < 20; ++at)
        other += "bytes_in_use 5\n'peak_bytes_in_use': 5\n'bytes_in_use\": 5\n'bytes_in_use': none\n"
                 "'bytes_in_use': 18446744073709551616\n'bytes_in_use'\n'bytes_in_use':\nbytes_in_use";
    CHECK(samples_in_log(other).empty());
    // A line without a step leaves no line with steps; a line that has no number is passed over.
    CHECK(samples_in_log(printed("step ", "") + "{'bytes_in_use': 3}").starts_with("bytes_in_use,"));
    CHECK(samples_in_log(printed("step ", "") + "{'bytes_in_use': None}").starts_with("step,"));
}

}  // namespace hbm::test::samples_log_tests
