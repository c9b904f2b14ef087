// What grows in a trace, by tag.
#include <hbm/report/growth_json.hpp>
#include <hbm/trace/growth.hpp>
#include <hbm/trace/read.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "generate/generate.hpp"
#include "report/json_reader.hpp"
#include "trace/trace_helpers.hpp"

using namespace hbm::trace;

namespace {

workload generated(const std::string& spec, std::uint64_t seed) {
    const auto made = generate(spec, seed);
    REQUIRE_MESSAGE(made.has_value(), made.error());
    return *made;
}

/// Steps with a batch each, and a tensor of a quantum that is kept.
std::string leaking(int steps) {
    std::string text = "op,id,bytes,tag\nalloc,w,102400,weights\n";
    for (int step = 0; step < steps; ++step) {
        text += "alloc,x,51200,batch\nalloc,l" + std::to_string(step) + ",100,log\nfree,x,,\nsync,,,\n";
    }
    return text;
}

}  // namespace

TEST_CASE("the generated leak is found, its tag is named, and without the leak nothing is") {
    for (std::uint64_t seed = 100; seed < 106; ++seed) {
        CAPTURE(seed);
        const hbm::growth_summary found = growth_of(generated("slow_leak:steps=2000", seed), 512);
        REQUIRE(found.culprit() != nullptr);
        CHECK(found.culprit()->name == "metric");
        CHECK(found.tags.front().growth);
        for (std::size_t at = 1; at < found.tags.size(); ++at) CHECK(!found.tags[at].growth);
        const hbm::growth_summary clean = growth_of(generated("slow_leak:steps=2000,leak=0", seed), 512);
        CHECK(!clean.headline());
        CHECK(!clean.spike);
    }
    for (const char* spec : {"llm_serving", "transformer_training:steps=20", "uniform_churn"}) {
        CAPTURE(spec);
        CHECK(!growth_of(generated(spec, 1), 512).headline());
    }
    CHECK(growth_of(generated("embedding_pipeline", 1), 512).spike);
}

TEST_CASE("what a line of awk finds in a trace of ten steps is found as well") {
    const hbm::growth_summary found = growth_of(read_right(leaking(10)), 512, 1'000'000);
    REQUIRE(found.growth);
    CHECK(found.growth->micro_bytes_a_step() == 512'000'000);
    CHECK(hbm::sentence(found) ==
          "Memory grows by 512B a step since step 1; tag 'log' holds 100 % of it; 976.6K end at step 1,654.");
    const hbm::tag_growth& log = found.tags.front();
    CHECK(log.name == "log");
    CHECK(log.at_end == hbm::tag_moment{10 * 512, 10, 10});
    CHECK(log.at_peak == hbm::tag_moment{10 * 512, 10, 9});
    CHECK(found.tags[1].name == "weights");
    CHECK(found.tags[2].at_peak == hbm::tag_moment{51200, 1, 0});
    CHECK(found.tags[2].at_end == hbm::tag_moment{});
    CHECK(found.peak_bytes == 102400 + 51200 + 10 * 512);
    CHECK(found.peak_step == 10);
    CHECK(hbm::sentence(growth_of(read_right(leaking(7)), 512)) ==
          "7 steps are too few to tell growth from anything else; 8 are the fewest.");
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
    const hbm::growth_summary found = growth_of(read_right(text), 512);
    CHECK(found.step_name == "run");
    REQUIRE(found.growth);
    CHECK(found.growth->micro_bytes_a_step() == 512'000'000);
    CHECK(found.tags.front().name == "state");
    CHECK(found.tags.front().at_end == hbm::tag_moment{5120 + 20 * 512, 21, 20});
    CHECK(found.tags[1].is_programs);
    CHECK(found.tags[1].at_end.bytes == 1024 + 2048);
}

TEST_CASE("sizes near 2^64 and a trace without rows") {
    const hbm::growth_summary found = growth_of(
        read_right("op,id,bytes\nalloc,a,18446744073709551615\nfree,a,\nalloc,a,18446744073709551000\n"), 512);
    CHECK(!found.headline());
    CHECK(hbm::test::json_reader::is_valid(to_json(found)));
    CHECK(hbm::test::json_reader::is_valid(to_json(growth_of(workload{}, 512))));
}
