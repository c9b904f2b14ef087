// Samples of memory in use: the columns, what is forgiven, what is an error, and what grows.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/growth/samples_growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/read/samples/samples_cells.hpp"
#include "compare/read/samples/samples_log.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::samples_tests {

using namespace hbm::imported;

namespace {

sample_series one(const std::string& text) {
    const samples_result read = read_samples(text, "s.csv");
    REQUIRE_MESSAGE(!read.error, read.error->message());
    REQUIRE(read.devices.size() == 1);
    return read.devices.front();
}

std::string error_of(const std::string& text) {
    const samples_result read = read_samples(text, "s.csv");
    CHECK(read.devices.empty());
    return read.error ? read.error->message() : "";
}

using samples = std::vector<memory_sample>;

}  // namespace

TEST_CASE("columns by name, in any order, among others; of memory_stats() and of tpu-info") {
    CHECK(one("step,host,bytes_in_use\n5,x,100\n10,y,200\n").samples == samples{{5, 100, 100}, {10, 200, 200}});
    const sample_series seen = one("tpu.runtime.hbm.memory.total.bytes,t,tpu.runtime.hbm.memory.usage.bytes\n"
                                   "1000,7,100\n2000,9,150\n");
    CHECK(seen.samples == samples{{7, 100, 100}, {9, 150, 150}});
    CHECK(seen.limit == 2000);
    CHECK(seen.unit == growth_unit::times);
    CHECK(one("bytes_in_use\n1\n2\n3\n").samples == samples{{1, 1, 1}, {2, 2, 2}, {3, 3, 3}});
    CHECK(one("bytes_limit,bytes_reserved,bytes_in_use\n1000,300,5\n").limit == 700);
    CHECK(!one("bytes_in_use\n1\n").limit);
    CHECK(one("time,bytes_in_use\n0.5,7\n1.25,7\n").samples == samples{{500'000, 7, 7}, {1'250'000, 7, 7}});
}

TEST_CASE("the limit is that of the last sample, and a name in quotation marks may have commas") {
    CHECK(one("step,bytes_in_use,bytes_limit\n9,5,100\n1,5,1000\n").limit == 100);
    CHECK(one("step,device,bytes_in_use\n1,\"TPU_0(process=0,(0,0,0,0))\",100\n").samples == samples{{1, 100, 100}});
}

TEST_CASE("the peak counts where it has risen since the sample before") {
    CHECK(one("bytes_in_use,peak_bytes_in_use\n10,50\n20,50\n15,70\n16,70\n").samples ==
          samples{{1, 10, 10}, {2, 20, 20}, {3, 15, 70}, {4, 16, 16}});
}

TEST_CASE("quotes, blanks, capitals, CRLF, a byte order mark, comments and blank lines are forgiven") {
    CHECK(
        one("\xEF\xBB\xBF# of my run\r\n\r\n \"Step\" , \"BYTES_IN_USE\" \r\n 1 , \"76288.0\"\r\n\r\n#x\r\n2, 3.9\r\n")
            .samples == samples{{1, 76288, 76288}, {2, 3, 3}});
}

TEST_CASE("samples in disorder are put in order, the last of several at a step counts, and gaps are left out") {
    const sample_series seen = one("step,bytes_in_use\n30,3\n10,1\n20,2\n10,9\n40,\n50,NaN\n60,None\n");
    CHECK(seen.samples == samples{{10, 9, 9}, {20, 2, 2}, {30, 3, 3}});
    CHECK(seen.left_out == 3);
}

TEST_CASE("a series for each device") {
    const samples_result read =
        read_samples("device,bytes_in_use,bytes_limit\n1,10,99\n0,20,77\n1,11,99\n0,21,77\n", "s.csv");
    REQUIRE(read.devices.size() == 2);
    CHECK(read.devices[0].device == "1");
    CHECK(read.devices[0].samples == samples{{1, 10, 10}, {2, 11, 11}});
    CHECK(read.devices[1].limit == 77);
    CHECK(growth_of(read.devices[1], "s.csv").source == "s.csv, device 0");
}

TEST_CASE("times may be dates in ISO 8601") {
    // As GNU date gives them: date -u -d 2024-02-29T23:59:58Z +%s.
    const std::pair<const char*, std::uint64_t> all[] = {
        {"2024-02-29T23:59:58Z", 1'709'251'198'000'000},         {"2026-11-23 18:54:10", 1'795'460'050'000'000},
        {"2026-11-23T18:54:10.25+01:00", 1'795'456'450'250'000}, {"2026-11-23T18:54-0330", 1'795'472'640'000'000},
        {"2000-03-01t00:00:00z", 951'868'800'000'000},           {"1971-01-01T00:00+14", 31'485'600'000'000},
        {"2100-12-31T00:00:00", 4'133'894'400'000'000}};
    for (const auto& each : all) {
        CAPTURE(each.first);
        CHECK(one(std::string("time,bytes_in_use\n") + each.first + ",5\n").samples == samples{{each.second, 5, 5}});
    }
    for (const char* const bad :
         {"2023-02-29T00:00:00", "2024-13-01T00:00:00", "2024-00-01T00:00:00", "2024-01-01T24:00:00",
          "2024-01-01T00:60:00", "2024-01-01T00:00:61", "2024-01-01T00:00:00X", "2024-01-01T00:00:00+1",
          "2024-01-01T00:00:00+24:00", "2024-01-01T00:00:", "2024-01-01T", "2024-1-1T00:00:00", "1969-01-01T00:00:00",
          "2100-02-29T00:00:00", "2024-01-01"}) {
        CAPTURE(bad);
        CHECK(error_of(std::string("time,bytes_in_use\n") + bad + ",5\n").find("or a date as 2026-") !=
              std::string::npos);
    }
}

TEST_CASE("errors say where, what was found and what was expected") {
    CHECK(error_of("") == "s.csv: found nothing, expected a header row with the column bytes_in_use");
    CHECK(error_of("#\n\n") == "s.csv:2:1: found nothing, expected a header row with the column bytes_in_use");
    CHECK(error_of("op,id,bytes\n") ==
          "s.csv:1:1: found `op,id,bytes`, expected a header row with the column bytes_in_use (of memory_stats()) or "
          "tpu.runtime.hbm.memory.usage.bytes (of tpu-info)");
    CHECK(error_of("bytes_in_use,step,Bytes_In_Use\n") ==
          "s.csv:1:19: found `Bytes_In_Use`, expected each column once: the same is in column 1 already");
    CHECK(error_of("step,bytes_in_use\n1,2\n2,12K\n") ==
          "s.csv:3:3: found `12K`, expected bytes in use as a number below 2^64 without a unit: write "
          "bytes");
    CHECK(error_of("bytes_in_use,bytes_limit\n1,4.00GiB\n") ==
          "s.csv:2:3: found `4.00GiB`, expected bytes as a number without a unit: write bytes");
    CHECK(error_of("step,bytes_in_use\n,2\n") == "s.csv:2:1: found nothing, expected a step as a number");
    CHECK(error_of("time,bytes_in_use\n18446744073710,2\n") ==
          "s.csv:2:1: found `18446744073710`, expected seconds as a number, or a date as 2026-11-23T18:54:10");
    CHECK(error_of("bytes_in_use\n1,2\n") == "s.csv:2:3: found `2`, expected at most 1 cells, as in the header row");
    CHECK(error_of("bytes_in_use\n18446744073709551616\n").find("2^64") != std::string::npos);
    CHECK(error_of("bytes_in_use,bytes_limit\n1,-1\n") == "s.csv:2:3: found `-1`, expected bytes as a number");
}

TEST_CASE("what a header of samples looks like") {
    CHECK(looks_like_samples("a,\"Bytes_in_use\",b\n"));
    CHECK(looks_like_samples("\n# x\ntpu.runtime.hbm.memory.usage.bytes"));
    CHECK(!looks_like_samples(""));
    CHECK(!looks_like_samples("op,id,bytes\nalloc,a,1\n"));
    CHECK(!looks_like_samples("peak_bytes_in_use,bytes_limit\n"));
}

TEST_CASE("a leak of 1,200,000 bytes a step since step 8,400 is told as that") {
    std::string text = "step,bytes_in_use,bytes_limit\n";
    for (std::uint64_t at = 0; at < 3000; ++at) {
        const std::uint64_t step = at * 10;
        const std::uint64_t bytes =
            2'000'000'000 + at * 7919 % 10'000'000 + (step > 8400 ? (step - 8400) * 120'000 : 0);
        text += std::to_string(step) + "," + std::to_string(bytes) + ",16911433728\n";
    }
    const growth_summary found = growth_of(one(text), "s.csv");
    REQUIRE(found.growth);
    CHECK(found.micro_rate(*found.growth) > 119'000'000'000);
    CHECK(found.micro_rate(*found.growth) < 121'000'000'000);
    CHECK(found.position(found.growth->since) > 7800);
    CHECK(found.position(found.growth->since) < 9000);
    // (16,911,433,728 - 2,010,000,000) / 120,000 steps after step 8,400.
    CHECK(found.position(found.growth->end_step(16'911'433'728)) > 131'000);
    CHECK(found.position(found.growth->end_step(16'911'433'728)) < 134'000);
    CHECK(is_valid_json(to_json(found)));
}

TEST_CASE("cells may be parted by semicolons or tabs, as the header row is") {
    CHECK(one("step;bytes_in_use\n5;100\n10;200\n").samples == samples{{5, 100, 100}, {10, 200, 200}});
    CHECK(one("step\tbytes_in_use\tbytes_limit\n5\t100\t\n10\t200\t900\n").samples ==
          samples{{5, 100, 100}, {10, 200, 200}});
    CHECK(looks_like_samples("step;bytes_in_use\n"));
    CHECK(looks_like_samples("step\tbytes_in_use\n"));
    CHECK(error_of("step,bytes_in_use\n1;2\n") == "s.csv:2:1: found `1;2`, expected a step as a number");
    CHECK(first_row("# x\n\n1,2\n") == 3);
}

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
    // The braces of a device enclose its own values: the second device has no limit.
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

}  // namespace hbm::test::samples_tests
