// Samples of memory in use. A section of samples.txt has a table, or a log if its name says so, `---`, and its series
// or the error. A new section needs no more than its text: with HBM_WRITE_GOLDEN=1 the rest is written below it.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "compare/growth/growth.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/samples/samples.hpp"
#include "support/golden_text.hpp"

namespace hbm::test::samples_tests {

using namespace hbm::imported;

namespace {

sample_series one(const std::string& text) {
    const std::vector<sample_series> read = read_samples(text, "s.csv");
    REQUIRE(read.size() == 1);
    return read.front();
}

std::string error_of(const std::string& text) {
    try {
        (void)read_samples(text, "s.csv");
        return {};
    } catch (const hbm::trace::read_error& error) {
        return error.what();
    }
}

std::string described(const sample_series& series) {
    constexpr const char* units[] = {"samples", "numbers", "microseconds"};
    std::string text = "device '" + series.device + "', " + units[static_cast<std::size_t>(series.unit)];
    if (series.limit) text += ", limit " + std::to_string(*series.limit);
    if (series.left_out != 0) text += ", left out " + std::to_string(series.left_out);
    if (series.replaced != 0)
        text += ", replaced " + std::to_string(series.replaced) + " from line " + std::to_string(series.again_line);
    for (const memory_sample& sample : series.samples) {
        text += "; " + std::to_string(sample.position) + ": " + std::to_string(sample.in_use);
        if (sample.most != sample.in_use) text += " to " + std::to_string(sample.most);
    }
    return text + "\n";
}

std::string described(const std::string& name, const std::string& text) {
    const bool is_log = name.starts_with("log");
    if (!is_log && !error_of(text).empty()) return error_of(text) + "\n";
    std::string result;
    for (const sample_series& series :
         is_log ? series_of(log_samples(plain_text_of(text))) : read_samples(text, "s.csv"))
        result += described(series);
    return result;
}

}  // namespace

TEST_CASE("samples: those of the golden file") {
    check_golden_inputs("compare/read/samples.txt",
                        [](const std::string& name, const std::string& text) { return described(name, text); });
}

TEST_CASE("samples: a log with less than eight lines of statistics has no series, a table has") {
    const std::string line = "{'bytes_in_use': 5}\n";
    std::string log;
    for (std::size_t lines = 1; lines <= fewest_log_samples; ++lines) {
        log += line;
        CHECK(series_of_log(log).empty() == (lines < fewest_log_samples));
    }
    CHECK(series_of_log("[" + std::string(80, '{') + "'bytes_in_use': 5}]\n").empty());
    CHECK(series_of_log("INFO | hbm=[(3.5, 31.25)]Gb\n").size() == 1);
}

TEST_CASE("quotes, blanks, capitals, CRLF, a byte order mark, comments and blank lines are forgiven") {
    CHECK(
        one("\xEF\xBB\xBF# of my run\r\n\r\n \"Step\" , \"BYTES_IN_USE\" \r\n 1 , \"76288.0\"\r\n\r\n#x\r\n2, 3.9\r\n")
            .samples == std::vector<memory_sample>{{1, 76288, 76288}, {2, 3, 3}});
}

TEST_CASE("samples: dates that are none are errors") {
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

TEST_CASE("what a header of samples looks like") {
    CHECK(looks_like_samples("a,\"Bytes_in_use\",b\n"));
    CHECK(looks_like_samples("\n# x\ntpu.runtime.hbm.memory.usage.bytes"));
    CHECK(looks_like_samples("step;bytes_in_use\n"));
    CHECK(looks_like_samples("step\tbytes_in_use\n"));
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
    CHECK(found.micro_rate(found.growth->micro_bytes_a_step()) > 117'000'000'000);
    CHECK(found.micro_rate(found.growth->micro_bytes_a_step()) < 121'000'000'000);
    CHECK(found.position(found.growth->since) > 5700);  // within an eighth of its length
    CHECK(found.position(found.growth->since) < 9000);
    // (16,911,433,728 - 2,010,000,000) / 120,000 steps after step 8,400.
    CHECK(found.position(found.growth->end_step(16'911'433'728)) > 131'000);
    CHECK(found.position(found.growth->end_step(16'911'433'728)) < 136'000);
}

TEST_CASE("samples: many devices, a row of a million commas, positions at both ends of 64 bits") {
    std::string many = "device,bytes_in_use\n";
    for (int at = 0; at < 2000; ++at) many += "d" + std::to_string(at) + ",1\n";
    std::string far = "t,bytes_in_use\n";
    for (std::uint64_t at = 0; at < 64; ++at)
        far += std::to_string((~std::uint64_t{0} / 64) * at) + "," + std::to_string(at << 46U) + "\n";
    for (const std::string& text :
         {many, far, "bytes_in_use" + std::string(1'000'000, ',') + "\n1\n",
          std::string("step,bytes_in_use\n0,0\n18446744073709551615,18446744073709551615\n")}) {
        for (const sample_series& series : read_samples(text, "s.csv"))
            CHECK(growth_of(series, "s.csv").samples == series.samples.size());
    }
}

}  // namespace hbm::test::samples_tests
