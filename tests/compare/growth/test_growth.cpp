// What grows in a trace, by tag.
#include <hbm/explain/words.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "compare/generate/generate.hpp"
#include "compare/growth/golden_sentence.hpp"
#include "compare/growth/growth.hpp"
#include "compare/growth/text.hpp"
#include "compare/replay/trace_helpers.hpp"
#include "support/valid_json.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::growth_tests {

using namespace hbm::trace;

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

/// Steps that keep a tensor of `bytes`, and replace a batch whose size varies by 2^(64 - `shift`).
std::string noisy_leak(int bytes, unsigned shift) {
    std::string text = "op,id,bytes,tag\n";
    std::uint64_t drawn = 1;
    for (int at = 0; at < 100; ++at) {
        drawn = drawn * 6364136223846793005 + 1442695040888963407;
        text += "alloc,n" + std::to_string(at) + "," + std::to_string(bytes) + ",leak\nalloc,x" + std::to_string(at) +
                "," + std::to_string(1'000'000 + (drawn >> shift)) + ",batch\n" +
                (at == 0 ? "" : "free,x" + std::to_string(at - 1) + ",,\n") + "sync,,,\n";
    }
    return text;
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
        CHECK(!clean.spike);
    }
    for (const char* spec : {"llm_serving", "transformer_training:steps=20", "uniform_churn"}) {
        CAPTURE(spec);
        CHECK(!growth_of(generated(spec, 1), 512).headline());
    }
    CHECK(growth_of(generated("embedding_pipeline", 1), 512).spike);
}

TEST_CASE("what a line of awk finds in a trace of ten steps is found as well") {
    const hbm::growth_summary match = growth_of(read_right(leaking(10)), 512, 1'000'000);
    REQUIRE(match.growth);
    CHECK(match.growth->micro_bytes_a_step() == 512'000'000);
    CHECK(match.growth->end_step(1'000'000) == 1'654);
    check_sentence("little certainty", match);
    check_sentence("too few", growth_of(read_right(leaking(7)), 512));
    check_sentence("no capacity", growth_of(read_right(leaking(100)), 512));
    const hbm::tag_growth& log = match.tags.front();
    CHECK(log.name == "log");
    CHECK(log.at_end == hbm::tag_moment{10 * 512, 10, 10});
    CHECK(log.at_peak == hbm::tag_moment{10 * 512, 10, 9});
    CHECK(match.tags[1].name == "weights");
    CHECK(match.tags[2].at_peak == hbm::tag_moment{51200, 1, 0});
    CHECK(match.tags[2].at_end == hbm::tag_moment{});
    CHECK(match.peak_bytes == 102400 + 51200 + 10 * 512);
    CHECK(match.peak_step == 10);
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
    CHECK(match.growth->micro_bytes_a_step() == 512'000'000);
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
        CHECK(match.growth->micro_bytes_a_step() == 512'000'000);
    }
}

TEST_CASE("imported buffers count, and so does a program that a run loads again") {
    std::string text = "op,id,bytes,tag,offset\n";
    for (int step = 0; step < 40; ++step)
        text += "import,i" + std::to_string(step) + ",1024,kept," + std::to_string(1024 * step) + "\nsync,,,,\n";
    const hbm::growth_summary match = growth_of(read_right(text), 512);
    REQUIRE(match.growth);
    CHECK(match.growth->micro_bytes_a_step() == 1'024'000'000);
    CHECK(match.tags.front().at_end.bytes == 40 * 1024);

    std::string runs = "op,id,bytes\nload,p,5120\nunload,p,\n";
    for (int run = 0; run < 20; ++run) runs += "run,p,\n";
    const hbm::growth_summary again = growth_of(read_right(runs), 512);
    REQUIRE(again.tags.size() == 1);
    CHECK(again.tags.front().is_programs);
    CHECK(again.tags.front().at_end.bytes == 5120);
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
    check_sentence("no steps marked", match);
    check_sentence("no steps marked, beyond the capacity", growth_of(read_right(text), 512, 1 << 26));
    CHECK(hbm::to_text(match).find("grows") == std::string::npos);
    const std::string json = to_json(match);
    CHECK(json.find("\"verdict\":\"withheld\",\"withheld\":\"no_steps_marked\",") != std::string::npos);
    CHECK(json.find("\"growth\":null,\"spike\":null,") != std::string::npos);
    CHECK(json.find("\"since_step\":0") == std::string::npos);
    CHECK(hbm::test::is_valid_json(json));
    CHECK(to_json(growth_of(read_right(leaking(100)), 512)).find("\"withheld\":null,") != std::string::npos);
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
    check_sentence("steps inferred", match);
    for (int layer = 60; layer-- > 0;) {
        for (int at = 0; at < 10; ++at)
            text += "alloc,y" + std::to_string(at) + "," + std::to_string(512 * (at * layer + 7)) + ",work\n";
        text += "free,k" + std::to_string(layer) + ",,\n";
        for (int at = 0; at < 10; ++at) text += "free,y" + std::to_string(at) + ",,\n";
    }
    CHECK(growth_of(read_right(text), 512).marks_no_steps);
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

TEST_CASE("where noise allows no precise forecast the sentence and JSON say between which steps memory ends") {
    std::string text = "op,id,bytes,tag\n";
    std::uint64_t random = 1;
    for (int step = 0; step < 2000; ++step) {
        random = random * 6364136223846793005 + 1442695040888963407;
        text += "alloc,x,51200,batch\n";
        if (random >> 60 == 0) text += "alloc,l" + std::to_string(step) + ",100,log\n";  // once in 16, at random
        text += "free,x,,\nsync,,,\n";
    }
    const hbm::growth_summary match = growth_of(read_right(text), 512, 1 << 20);
    REQUIRE(match.growth);
    const std::uint64_t end = match.growth->end_step(1 << 20);
    const std::uint64_t first = match.growth->earliest_end_step(1 << 20);
    const std::uint64_t last = match.growth->latest_end_step(1 << 20);
    CHECK(first < end);
    CHECK(end < last);
    CHECK(first < 30'400);  // (1 MiB - 50 KiB) / 512 * 16 steps after the first is the truth on average
    CHECK(last > 30'400);
    check_sentence("range", match);
    CHECK(to_json(match).find("\"earliest_end_step\":" + std::to_string(first) +
                              ",\"latest_end_step\":" + std::to_string(last)) != std::string::npos);
    // A line without noise needs no range.
    CHECK(hbm::sentence(growth_of(read_right(leaking(200)), 512, 1 << 20)).find("between") == std::string::npos);
}

TEST_CASE("sentences name a tag, no tag, several tags and programs: what they hold, have risen by, or grow by alone") {
    hbm::growth_summary summary = growth_of(read_right(leaking(100)), 512, 1 << 20);
    summary.capacity = summary.growth->top_bytes;
    summary.tags.resize(1);
    const hbm::tag_growth tag = summary.tags.front();
    std::string text;
    for (const bool has_sum : {true, false})
        for (const bool has_part : {true, false}) {
            if (!has_sum && !has_part) continue;
            hbm::growth_summary part = summary;
            if (!has_sum) part.growth.reset();
            if (!has_part) part.tags.front().growth.reset();
            for (const int kind : {0, 1, 2, 3}) {
                part.tags.front().name = kind == 0 ? tag.name : "";
                part.tags.front().is_several = kind == 2;
                part.tags.front().is_programs = kind == 3;
                text += hbm::sentence(part) + "\n";
            }
        }
    CHECK(text == hbm::test::golden_text("compare/growth/sentences.txt", "kinds of tags", text));
}

TEST_CASE("a picture of an instant lists who holds what, the largest first") {
    const hbm::growth_summary match =
        growth_of(read_right("op,id,bytes,tag\nalloc,a,512,small\nalloc,b,4096,large\nalloc,c,512,small\n"), 512);
    CHECK(match.is_instant);
    CHECK(match.end_bytes == 5120);
    CHECK(match.tags.front().name == "large");
    check_sentence("instant", match);
    CHECK(to_json(match).find("\"withheld\":\"an_instant\"") != std::string::npos);
    CHECK(!growth_of(read_right("op,id,bytes\nalloc,a,512\nfree,a,\n"), 512).is_instant);
}

TEST_CASE("a growth that is more than all together varies by is not called too little to be seen") {
    // What one tag gains the other gives back, so that all together stays.
    std::string text = "op,id,bytes,tag\n";
    for (int at = 0; at < 100; ++at) text += "alloc,o" + std::to_string(at) + ",4096,old\n";
    for (int at = 0; at < 100; ++at)
        text += "free,o" + std::to_string(at) + ",,\nalloc,n" + std::to_string(at) + ",4096,new\nsync,,,\n";
    const hbm::growth_summary exchange = growth_of(read_right(text), 512);
    REQUIRE(exchange.culprit() != nullptr);
    CHECK(exchange.culprit()->name == "new");
    CHECK(exchange.culprit()->risen_bytes >= exchange.varied_bytes);
    check_sentence("a tag for another", exchange);
    // The same under a noise that is larger than all of it.
    const hbm::growth_summary lost = growth_of(read_right(noisy_leak(512, 40)), 512);
    REQUIRE(lost.culprit() != nullptr);
    CHECK(lost.culprit()->name == "leak");
    CHECK(lost.culprit()->risen_bytes < lost.varied_bytes / 4);
    check_sentence("lost in noise", lost);
}

TEST_CASE("a large block that stays does not hide what grows, and what a tag has risen by is said") {
    std::string text = "op,id,bytes,tag\n";
    for (int at = 0; at < 1000; ++at)
        text += "alloc,k" + std::to_string(at) + ",1048576,metric\n" +
                (at == 500 ? "alloc,e,1073741824,evaluation\n" : "") + "sync,,,\n";
    const hbm::growth_summary jump = growth_of(read_right(text), 512, std::uint64_t{16} << 30U);
    REQUIRE(jump.growth);
    CHECK(jump.growth->end_step(*jump.capacity) == 15'360);  // when the tag has 15 GiB
    REQUIRE(jump.jump);
    CHECK(*jump.jump == hbm::growth_jump{501, 1 << 30});
    check_sentence("jump", jump);
    // A tag has risen by half of what all together varies by: that can be seen.
    const hbm::growth_summary visible = growth_of(read_right(noisy_leak(5120, 44)), 512);
    REQUIRE(visible.culprit() != nullptr);
    CHECK(visible.culprit()->risen_bytes / 1024 >= 490);  // 99 times 5 KiB, or somewhat less
    CHECK(visible.culprit()->risen_bytes < visible.varied_bytes);
    check_sentence("visible in noise", visible);
}

TEST_CASE("growth: a spike and a level, below the capacity and above it") {
    std::string text = "op,id,bytes,tag\nalloc,w,1073741824,weights\n";
    for (int at = 1; at <= 50; ++at)
        text += (at == 21 ? "alloc,a,20401094656,\nfree,a,,\n" : "alloc,a,512,\nfree,a,,\n") + std::string("sync,,,\n");
    const hbm::growth_summary spike = growth_of(read_right(text), 512, 16'911'433'728);
    REQUIRE(spike.spike);
    CHECK(spike.spike->step == 21);
    CHECK(spike.spike->bytes == std::uint64_t{20} << 30U);
    check_sentence("spike above the capacity", spike);
    check_sentence("spike", growth_of(read_right(text), 512, std::uint64_t{20} << 30U));
    text = "op,id,bytes\nalloc,w,2048\n";
    for (int at = 0; at < 9; ++at) text += "sync,,\n";
    check_sentence("level above the capacity", growth_of(read_right(text), 512, 512));
    check_sentence("level", growth_of(read_right(text), 512, 2048));
}

TEST_CASE("growth: finds the first step at which live bytes pass the capacity") {
    const hbm::growth_summary match = growth_of(read_right(leaking(100)), 512, 102400 + 51200 + 50 * 512);
    CHECK(match.passed_step == 51);
    check_sentence("passed", match);
}

TEST_CASE("sizes near 2^64 and a trace without rows") {
    const hbm::growth_summary match = growth_of(
        read_right("op,id,bytes\nalloc,a,18446744073709551615\nfree,a,\nalloc,a,18446744073709551000\n"), 512);
    CHECK(!match.headline());
    CHECK(hbm::test::is_valid_json(to_json(match)));
    CHECK(hbm::test::is_valid_json(to_json(growth_of(workload{}, 512))));
    // Four blocks of 2^63 bytes: the sum stops at the largest number, and all of them end.
    std::string halves = "op,id,bytes\n";
    for (const char* letter : {"a", "b", "c", "d"})
        halves += std::string("alloc,") + letter + ",9223372036854775808\nsync,,\n";
    CHECK(growth_of(read_right(halves), 512).tags.front().at_end.bytes == ~std::uint64_t{0});
    for (const char* letter : {"a", "b", "c", "d"}) halves += std::string("free,") + letter + ",\n";
    CHECK(growth_of(read_right(halves), 512).tags.front().at_end.bytes == 0);
}

TEST_CASE("rates beyond what is counted, or hardly any, are said to be that") {
    using hbm::percent_of;
    using hbm::rate_in_words;
    CHECK(rate_in_words(~std::uint64_t{0}) == "more than 16.78T");
    CHECK(rate_in_words(9'999) == "less than 0.01B");
    CHECK(rate_in_words(10'000) == "0.01B");
    CHECK(percent_of(149, 150) == 99);
    CHECK(percent_of(15, ~std::uint64_t{0}) == 0);
    CHECK(percent_of(~std::uint64_t{0} - 1, ~std::uint64_t{0}) == 99);
    CHECK(percent_of(0, 0) == 100);
}

}  // namespace hbm::test::growth_tests
