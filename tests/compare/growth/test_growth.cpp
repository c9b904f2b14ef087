// What grows in a trace, by tag.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compare/generate/generate.hpp"
#include "compare/growth/growth.hpp"
#include "compare/replay/trace_helpers.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::growth_tests {

using namespace hbm::trace;
using hbm::imported::sample_series;

namespace {

workload generated(const std::string& spec, std::uint64_t seed) {
    return generate(spec, seed);
}

/// Steps with a batch each, and a tensor of a quantum that is kept.
std::string leaking(int steps) {
    std::string text = "op,id,bytes,tag\nalloc,w,102400,weights\n";
    for (int step = 0; step < steps; ++step) {
        text += "alloc,x,51200,batch\nalloc,l" + std::to_string(step) + ",100,log\nfree,x,,\nsync,,,\n";
    }
    return text;
}

sample_series series_of(const std::vector<std::pair<std::uint64_t, std::uint64_t>>& samples) {
    sample_series series{.unit = hbm::growth_unit::numbers};
    for (const auto& [position, bytes] : samples) series.samples.push_back({position, bytes, bytes});
    return series;
}

}  // namespace

TEST_CASE("the generated leak is found, its tag is named, and without the leak nothing is") {
    for (std::uint64_t seed = 100; seed < 100 + seeds_to_try(6); ++seed) {
        CAPTURE(seed);
        const hbm::growth_summary match = growth_of(generated("slow_leak:steps=2000", seed), 512);
        REQUIRE(match.culprit() != nullptr);
        CHECK(match.culprit()->name == "metric");
        CHECK(match.tags.front().growth);
        for (std::size_t at = 1; at < match.tags.size(); ++at) CHECK(!match.tags[at].growth);
        const hbm::growth_summary clean = growth_of(generated("slow_leak:steps=2000,leak=0", seed), 512);
        CHECK(!clean.headline());
    }
    for (const char* spec : {"llm_serving", "transformer_training:steps=20", "uniform_churn"}) {
        CAPTURE(spec);
        CHECK(!growth_of(generated(spec, 1), 512).headline());
    }
}

TEST_CASE("what a line of awk finds in a trace of ten steps is found as well") {
    const hbm::growth_summary match = growth_of(read_right(leaking(10)), 512, 1'000'000);
    REQUIRE(match.growth);
    CHECK(match.growth->micro_bytes_a_step() / 32'000'000 == 15);
    CHECK(match.growth->end_step(1'000'000) < 1'800);
    CHECK(match.growth->end_step(1'000'000) > 1'600);
    const hbm::tag_growth& log = match.tags.front();
    CHECK(log.name == "log");
    CHECK(log.at_end == hbm::tag_moment{10 * 512, 10, 10});
    CHECK(log.at_peak == hbm::tag_moment{10 * 512, 10, 9});
    CHECK(match.tags[1].name == "weights");
    CHECK(match.tags[2].at_peak == hbm::tag_moment{51200, 1, 0});
    CHECK(match.tags[2].at_end == hbm::tag_moment{});
    CHECK(match.peak_bytes == 102400 + 51200 + 10 * 512);
    CHECK(match.peak_at == 10);
}

TEST_CASE("up to a row that failed, later rows do not count") {
    const workload load = read_right(leaking(100));
    const std::size_t rows = 1 + 4 * 50;
    CHECK(growth_of(load, 512, std::nullopt, rows).steps == 50);
    CHECK(growth_of(load, 512, std::nullopt, rows).tags.front().at_end.count == 50);
    CHECK(growth_of(load, 512, std::nullopt, 0).steps == 0);
}

TEST_CASE("programs count as one tag; donated inputs end, outputs begin with the tag of their run") {
    std::string text = "op,id,bytes,tag,donated,outputs,scratch\nload,p,1000,,,,2000\nalloc,s,5000,state,,,\n";
    for (int step = 0; step < 20; ++step)
        text += std::string("run,p,,state,") + "s" + ",s:5000 m" + std::to_string(step) + ":1,\n";
    const hbm::growth_summary match = growth_of(read_right(text), 512);
    CHECK(match.step_name == "run");
    REQUIRE(match.growth);
    CHECK(match.growth->micro_bytes_a_step() / 32'000'000 == 15);
    CHECK(match.tags.front().name == "state");
    CHECK(match.tags.front().at_end == hbm::tag_moment{5120 + 20 * 512, 21, 20});
    CHECK(match.tags[1].is_programs);
    CHECK(match.tags[1].at_end.bytes == 1024 + 2048);
}

TEST_CASE("a buffer that is replaced by a larger one and updated in place grows") {
    for (const std::string donated : {"", "n"}) {
        CAPTURE(donated);
        std::string text = "op,id,bytes,tag,inputs,donated,outputs\nload,p,512,,,,\nalloc,c0,512,cache,,,\n";
        for (int step = 1; step <= 100; ++step) {
            const std::string number = std::to_string(step), bytes = std::to_string(512 * step);
            const std::string kept = donated.empty() ? "n" : "c";
            text += "alloc,n" + number + "," + bytes + ",cache,,,\nfree," + (step == 1 ? "c" : kept) +
                    std::to_string(step - 1) + ",,,,,\n" + "run,p,,cache," +
                    (donated.empty() ? "n" + number + ",,\n" : ",n" + number + ",c" + number + ":" + bytes + "\n");
        }
        const hbm::growth_summary match = growth_of(read_right(text), 512);
        REQUIRE(match.growth);
        CHECK(match.growth->micro_bytes_a_step() / 32'000'000 == 15);
    }
}

TEST_CASE("imported buffers count, and so does a program that a run loads again") {
    std::string text = "op,id,bytes,tag,offset\n";
    for (int step = 0; step < 40; ++step)
        text += "import,i" + std::to_string(step) + ",1024,kept," + std::to_string(1024 * step) + "\nsync,,,,\n";
    const hbm::growth_summary match = growth_of(read_right(text), 512);
    REQUIRE(match.growth);
    CHECK(match.growth->micro_bytes_a_step() / 32'000'000 == 31);
    CHECK(match.tags.front().at_end.bytes == 40 * 1024);

    std::string runs = "op,id,bytes\nload,p,5120\nunload,p,\n";
    for (int run = 0; run < 20; ++run) runs += "run,p,\n";
    const hbm::growth_summary again = growth_of(read_right(runs), 512);
    REQUIRE(again.tags.size() == 1);
    CHECK(again.tags.front().is_programs);
    CHECK(again.tags.front().at_end.bytes == 5120);
}

TEST_CASE("a single pass over even layers, which keep what they make, is no leak") {
    const auto passes = [](int layers, int kept) {
        std::string text = "op,id,bytes,tag\n";
        for (int layer = 0; layer < layers; ++layer)
            for (int at = 0; at < 30; ++at) {
                const std::string name = std::to_string(layer) + "_" + std::to_string(at);
                text += "alloc,x" + name + "," + std::to_string(512 * (at + 1)) + ",forward\n";
                if (at >= kept) text += "free,x" + name + ",,\n";
            }
        return growth_of(read_right(text), 512);
    };
    CHECK(passes(12, 30).marks_no_steps);
    CHECK(passes(100, 30).marks_no_steps);  // deep, and all is kept
    CHECK(passes(100, 15).marks_no_steps);  // a quarter of the bytes
    CHECK(passes(30, 2).marks_no_steps);    // hardly anything, but too few to be certain
    const hbm::growth_summary leak = passes(100, 2);
    CHECK(!leak.marks_no_steps);
    CHECK(leak.headline());
}

TEST_CASE("a trace that marks no steps gets a table and no verdict") {
    std::string text = "op,id,bytes,tag\n";
    for (int at = 0; at < 400; ++at) {
        text += "alloc,k" + std::to_string(at) + "," + std::to_string(1000 * at + 512) + ",kept\n";
        text += "alloc,x" + std::to_string(at) + "," + std::to_string(3000 * at + 512) + ",gone\nfree,x" +
                std::to_string(at) + ",,\n";
    }
    const hbm::growth_summary match = growth_of(read_right(text), 512);
    REQUIRE(match.marks_no_steps);
    CHECK(!match.is_instant);
    CHECK(match.headline());  // no text mentions it
}

TEST_CASE(
    "steps that were found where rows repeat are said to be perhaps layers, and to be none where only a part repeats") {
    std::string text = "op,id,bytes,tag\n";
    for (int layer = 0; layer < 60; ++layer) {
        for (int at = 0; at < 10; ++at)
            text += "alloc,x" + std::to_string(at) + "," + std::to_string(512 * (at + 1)) + ",work\n";
        text += "alloc,k" + std::to_string(layer) + ",1024,kept\n";
        for (int at = 0; at < 10; ++at) text += "free,x" + std::to_string(at) + ",,\n";
    }
    const hbm::growth_summary match = growth_of(read_right(text), 512);
    CHECK(match.finds_steps);
    CHECK(!match.marks_no_steps);
    for (int layer = 60; layer-- > 0;) {
        for (int at = 0; at < 10; ++at)
            text += "alloc,y" + std::to_string(at) + "," + std::to_string(512 * (at * layer + 7)) + ",work\n";
        text += "free,k" + std::to_string(layer) + ",,\n";
        for (int at = 0; at < 10; ++at) text += "free,y" + std::to_string(at) + ",,\n";
    }
    CHECK(growth_of(read_right(text), 512).marks_no_steps);
}

TEST_CASE("a picture of an instant lists who holds what, the largest first") {
    const hbm::growth_summary match =
        growth_of(read_right("op,id,bytes,tag\nalloc,a,512,small\nalloc,b,4096,large\nalloc,c,512,small\n"), 512);
    CHECK(match.is_instant);
    CHECK(match.end_bytes == 5120);
    CHECK(match.tags.front().name == "large");
    CHECK(!growth_of(read_right("op,id,bytes\nalloc,a,512\nfree,a,\n"), 512).is_instant);
}

TEST_CASE("a large block that stays does not hide what grows, and a tag grows though all together do not") {
    std::string text = "op,id,bytes,tag\n";
    for (int at = 0; at < 1000; ++at)
        text += "alloc,k" + std::to_string(at) + ",1048576,metric\n" +
                (at == 500 ? "alloc,e,1073741824,evaluation\n" : "") + "sync,,,\n";
    const hbm::growth_summary jump = growth_of(read_right(text), 512, std::uint64_t{16} << 30U);
    REQUIRE(jump.growth);
    CHECK(jump.growth->end_step(*jump.capacity) >= 14'500);  // 15,360: when the tag has 15 GiB
    CHECK(jump.growth->end_step(*jump.capacity) <= 16'500);
    // What one tag gains the other gives back.
    std::string exchange = "op,id,bytes,tag\n";
    for (int at = 0; at < 100; ++at) exchange += "alloc,o" + std::to_string(at) + ",4096,old\n";
    for (int at = 0; at < 100; ++at)
        exchange += "free,o" + std::to_string(at) + ",,\nalloc,n" + std::to_string(at) + ",4096,new\nsync,,,\n";
    const hbm::growth_summary found = growth_of(read_right(exchange), 512);
    CHECK(!found.growth);
    REQUIRE(found.culprit() != nullptr);
    CHECK(found.culprit()->name == "new");
    CHECK(found.headline()->top_bytes == found.peak_bytes);
}

TEST_CASE("growth: finds the first step at which live bytes pass the capacity") {
    const hbm::growth_summary match = growth_of(read_right(leaking(100)), 512, 102400 + 51200 + 50 * 512);
    CHECK(match.passed_at == 51);
}

TEST_CASE("sizes near 2^64 and a trace without rows") {
    const hbm::growth_summary match = growth_of(
        read_right("op,id,bytes\nalloc,a,18446744073709551615\nfree,a,\nalloc,a,18446744073709551000\n"), 512);
    CHECK(!match.headline());
    // Four blocks of 2^63 bytes: the sum stops at the largest number, and all of them end.
    std::string halves = "op,id,bytes\n";
    for (const char* letter : {"a", "b", "c", "d"})
        halves += std::string("alloc,") + letter + ",9223372036854775808\nsync,,\n";
    CHECK(growth_of(read_right(halves), 512).tags.front().at_end.bytes == ~std::uint64_t{0});
    for (const char* letter : {"a", "b", "c", "d"}) halves += std::string("free,") + letter + ",\n";
    CHECK(growth_of(read_right(halves), 512).tags.front().at_end.bytes == 0);
}

TEST_CASE("samples at uneven distances grow where they lie on a line, and not across a gap") {
    std::vector<std::pair<std::uint64_t, std::uint64_t>> line, gap;
    for (std::uint64_t at = 0; at < 200; ++at) {
        const std::uint64_t step = at * 10 + at * at % 7;
        line.emplace_back(step, 1'000'000 + step * 300);
        gap.emplace_back(at < 100 ? at : at + 5000, at < 100 ? 1'000'000 : 2'000'000);
    }
    const hbm::growth_summary found = hbm::imported::growth_of(series_of(line), "x", 10'000'000);
    REQUIRE(found.growth);
    const std::uint64_t rate = found.micro_rate(found.growth->micro_bytes_a_step());
    CHECK(rate >= 299'000'000);
    CHECK(rate <= 301'000'000);
    CHECK(found.position(found.growth->end_step(10'000'000)) >= 29'900);
    CHECK(found.position(found.growth->end_step(10'000'000)) <= 30'100);
    const hbm::growth_summary none = hbm::imported::growth_of(series_of(gap), "x", 1'500'000);
    CHECK(!none.growth);
    CHECK(!none.stopped);
    CHECK(none.passed_at == 5100);
    CHECK(none.peak_at == 5100);
}

TEST_CASE("few samples, samples at both ends of 64 bits, and none") {
    CHECK(!hbm::imported::growth_of({}, "x").headline());
    CHECK(hbm::imported::growth_of(series_of({{1, 5}, {2, 7}}), "x").end_bytes == 7);
    std::vector<std::pair<std::uint64_t, std::uint64_t>> far;
    for (std::uint64_t at = 0; at < 64; ++at) far.emplace_back((~std::uint64_t{0} / 64) * at, at << 46U);
    CHECK(hbm::imported::growth_of(series_of(far), "x").growth);
}

}  // namespace hbm::test::growth_tests
