// Samples of memory in use: the columns, what is forgiven, what is an error, and what grows.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "compare/growth/durations.hpp"
#include "compare/growth/json.hpp"
#include "compare/growth/samples_growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/read/samples/samples_cells.hpp"
#include "explain/json_reader.hpp"

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
    CHECK(json_reader::is_valid(to_json(found)));
}

TEST_CASE("with times the rate is by the hour") {
    std::string text = "time,bytes_in_use\n";
    for (int at = 0; at < 100; ++at)
        text += std::to_string(36 * at) + ".5," + std::to_string(1'000'000 + 1024 * at) + "\n";
    const growth_summary found = growth_of(one(text), "s.csv", 2'000'000);
    CHECK(sentence(found) ==
          "Memory grows by 100.0K an hour from the start; memory (1.91M) is full in 8.7 h, counted from the last "
          "sample.");
    CHECK(to_json(found).find("\"bytes_an_hour\":102400.000000,\"since_step\":500000,") != std::string::npos);
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

TEST_CASE("a step that is before the last is told by its line") {
    CHECK(one("step,bytes_in_use\n0,1\n1,2\n0,3\n1,4\n").back_line == 4);
    CHECK(one("step,bytes_in_use\n0,1\n1,2\n1,3\n").back_line == 0);
}

TEST_CASE("where a series passes its limit, the first sample above it is told") {
    std::string text = "step,bytes_in_use,bytes_limit\n";
    for (int at = 0; at < 800; ++at)
        text += std::to_string(100 * at) + "," + std::to_string(1'000'000 + 1000 * at) + ",1500000\n";
    const growth_summary found = growth_of(one(text), "s.csv");
    CHECK(sentence(found) == "Memory grows by 10B a step from the start; bytes_in_use passed bytes_limit (1.43M) at "
                             "step 50,100; the last sample is 1.71M.");
    CHECK(to_json(found).find("\"end_step\":50100,") != std::string::npos);
    CHECK(sentence(growth_of(one(text), "s.csv", 1'600'000)).find("passed the capacity (1.53M) at step 60,100") !=
          std::string::npos);
    const growth_summary level =
        growth_of(one("bytes_in_use,bytes_limit\n9,8\n9,8\n9,8\n9,8\n9,8\n9,8\n9,8\n9,8\n"), "");
    CHECK(sentence(level) == "Memory does not grow in 8 samples, but bytes_in_use passed bytes_limit (8B) at sample 1; "
                             "the last sample is 9B.");
}

TEST_CASE("a jump does not hide growth before and after it, and is none by itself") {
    const auto judged = [](std::uint64_t slope, std::uint64_t period, std::uint64_t jump) {
        std::string text = "step,bytes_in_use,bytes_limit\n";
        for (std::uint64_t at = 0; at < 400; ++at)
            text += std::to_string(at) + "," +
                    std::to_string((std::uint64_t{8} << 30U) + slope * at + at % period * 4'000'000 +
                                   (at >= 200 ? jump : 0)) +
                    ",16911433728\n";
        return growth_of(one(text), "");
    };
    constexpr std::uint64_t gibi = std::uint64_t{1} << 30;
    // 16,911,433,728 are reached from 9 GiB in 3,623.9 steps of 2,000,000.
    const growth_summary leak = judged(2'000'000, 1, gibi);
    CHECK(sentence(leak) == "Memory grows by 1.91M a step from the start; memory (15.75G) is full at step 3,624. At "
                            "step 200 it rose by 1.00G at once, which is not counted as growth.");
    CHECK(to_json(leak).find("\"verdict\":\"growth\"") != std::string::npos);
    CHECK(to_json(leak).find("\"jump\":{\"step\":200,\"risen_bytes\":1073741824},\"rise\":null") != std::string::npos);
    const growth_summary step = judged(0, 1, gibi);
    CHECK(sentence(step) == "Memory does not grow in 400 steps; the most is 9.00G, at step 200. At step 200 it rose by "
                            "1.00G at once, which is not counted as growth.");
    CHECK(to_json(step).find("\"verdict\":\"none\"") != std::string::npos);
    CHECK(sentence(judged(0, 50, 0)).starts_with("Memory does not grow in 400 steps; the most is "));
    // From 6,000,000 * 25, the median of the first 50, to 2,000,000 * 375 + 4,000,000 * 25, that of the last.
    const growth_summary saw = judged(2'000'000, 50, 0);
    CHECK(sentence(saw).starts_with("No steady growth is proven in 400 steps, but memory ends 667.57M higher than it "
                                    "began, at 8.79G; more steps would tell. The most is 8.9"));
    CHECK(to_json(saw).find("\"verdict\":\"unproven\"") != std::string::npos);
    CHECK(to_json(saw).find("\"jump\":null,\"rise\":{\"began_bytes\":8739934592,\"ended_bytes\":9439934592}") !=
          std::string::npos);
    CHECK(json_reader::is_valid(to_json(saw)));
}

TEST_CASE("times since 1970 are told by how long after the first sample they are, and few samples are said to be few") {
    std::string text = "time,bytes_in_use\n";
    for (int at = 0; at < 39; ++at)
        text += std::to_string(1'732'600'000 + 60 * at) + "," + std::to_string(1'000'000 + 1024 * at) + "\n";
    CHECK(sentence(growth_of(one(text), "s.csv", 2'000'000)) ==
          "Memory grows by 60.0K an hour from the start (with little certainty: 39 samples are few); memory (1.91M) is "
          "full in 15.6 "
          "h, counted from the last sample.");
    text += "1732602340,1039936\n";
    CHECK(sentence(growth_of(one(text), "s.csv", 2'000'000)).find("certainty") == std::string::npos);
    CHECK(duration_in_words(90'000'000) == "90 s");
    CHECK(duration_in_words(150'000'000) == "2.5 min");
    CHECK(duration_in_words(3'600'000'000 * 999) == "999 h");
    CHECK(duration_in_words(3'600'000'000 * 1000) == "41.6 d");
}

}  // namespace hbm::test::samples_tests
