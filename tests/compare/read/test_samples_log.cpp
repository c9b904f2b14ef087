// What a program printed of memory_stats() in a log, as samples.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "compare/read/samples/samples.hpp"
#include "compare/read/samples/samples_log.hpp"

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

TEST_CASE("a line with the statistics of several devices gives a row for each") {
    const auto line_of = [](const std::string& before, const std::string& between, const std::string& after) {
        std::string text;
        for (std::size_t at = 0; at < 8; ++at)
            text += "step " + std::to_string(at) + before + "'bytes_in_use': 5, 'bytes_limit': 9}" + between +
                    "'bytes_in_use': " + std::to_string(at) + "}" + after + "\n";
        return samples_in_log(text);
    };
    const std::string header = "step,device,bytes_in_use,peak_bytes_in_use,bytes_limit,bytes_reserved\n";
    // What belongs to a device stands between its own braces: the second has no limit.
    CHECK(
        line_of(" [{", ", {", "]").starts_with(header + "0,\"0\",5,,9,\n0,\"1\",0,,,\n1,\"0\",5,,9,\n1,\"1\",1,,,\n"));
    CHECK(line_of(" ({", ", None, {", ")").starts_with(header + "0,\"0\",5,,9,\n0,\"2\",0,,,\n"));
    CHECK(line_of(" {", " and {", "").starts_with(header + "0,\"0\",5,,9,\n0,\"1\",0,,,\n"));
    CHECK(line_of(" {'TPU_0': {", ", 'TPU_1': {", "}").starts_with(header + "0,\"TPU_0\",5,,9,\n0,\"TPU_1\",0,,,\n"));
    CHECK(line_of(" {7: {", ", 9: {", "}").starts_with(header + "0,\"7\",5,,9,\n0,\"9\",0,,,\n"));
    // `{device: device.memory_stats() for device in jax.local_devices()}`
    CHECK(line_of(" {TpuDevice(id=0, coords=(0,0,0)): {", ", TpuDevice(id=1, coords=(1,0,0)): {", "}")
              .starts_with(header + "0,\"TpuDevice(id=0, coords=(0,0,0))\",5,,9,\n"
                                    "0,\"TpuDevice(id=1, coords=(1,0,0))\",0,,,\n"));
    // No two of a line have one name, and no name has a quotation mark.
    CHECK(line_of(" [{'a': {", "}, {'a': {", "}]").starts_with(header + "0,\"a\",5,,9,\n0,\"a (2)\",0,,,\n"));
    CHECK(line_of(" {'a\"b': {", ", '': {", "}").starts_with(header + "0,\"ab\",5,,9,\n0,\"1\",0,,,\n"));
    // Brackets that do not close, and those that were never opened, do not hide a device.
    CHECK(line_of(" )] [ {", ", {", "").starts_with(header + "0,\"0\",5,,9,\n0,\"1\",0,,,\n"));
    CHECK(line_of(std::string(1000, '[') + "{", ", {", "").starts_with(header + "0,\"0\",5,,9,\n0,\"1\",0,,,\n"));
}

TEST_CASE("the devices of a line are read as series of their own") {
    std::string text;
    for (std::size_t at = 0; at < 20; ++at)
        text += "step " + std::to_string(at) + " memory: {\"TPU_0(0,0)\": {\"bytes_in_use\": 512}, \"TPU_1(1,0)\": " +
                "{\"bytes_in_use\": " + std::to_string(1024 * at) + ", \"bytes_limit\": 65536}}\n";
    const imported::samples_result read = imported::read_samples(samples_in_log(text), "a");
    REQUIRE(!read.error);
    REQUIRE(read.devices.size() == 2);
    CHECK(read.devices[0].device == "TPU_0(0,0)");
    CHECK(read.devices[1].device == "TPU_1(1,0)");
    REQUIRE(read.devices[1].samples.size() == 20);
    CHECK(read.devices[0].samples.back().in_use == 512);
    CHECK(!read.devices[0].limit);
    CHECK(read.devices[1].samples.back().in_use == 19 * 1024);
    CHECK(read.devices[1].samples.back().position == 19);
    CHECK(read.devices[1].limit == 65536);
}

TEST_CASE("what lies around the statistics of a single device is no device") {
    // Lines, not devices, make a series: a single line of many is a message about memory.
    std::string many = "[";
    for (int at = 0; at < 20; ++at) many += "{'bytes_in_use': 5}, ";
    CHECK(samples_in_log(many + "]\n").empty());
    CHECK(samples_in_log(printed("{'memory': {'step': ", "}}")).starts_with("step,bytes_in_use,"));
    CHECK(samples_in_log(printed("[{'step': ", "}]")).starts_with("step,bytes_in_use,"));
}

}  // namespace hbm::test::samples_log_tests
