// What hbm_compare --growth says about traces, workloads and samples.

#include <string>

#include "compare/read/pprof_sample.hpp"
#include "compare_program.hpp"

namespace hbm::test::growth_tests {

namespace {

std::string leaking(int steps) {
    std::string text = "op,id,bytes,tag\n";
    for (int step = 0; step < steps; ++step)
        text += "alloc,x,51200,batch\nalloc,l" + std::to_string(step) + ",100,log\nfree,x,,\nsync,,,\n";
    return text;
}

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string growth(const workplace& here, const std::string& arguments) {
    const ending ended = here.run("--growth " + arguments);
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    return ended.out;
}

}  // namespace

TEST_CASE("JSON: a line for each series, the same in --format json -o") {
    const workplace here;
    here.write("t.csv", leaking(100));
    const std::string json = growth(here, "--trace t.csv --workload llm_serving:requests=20 --format json");
    CHECK(json.starts_with("{\"schema\":\"hbm-growth/1\",\"series\":[\n{\"source\":\"t.csv\",\"verdict\":\"growth\","));
    CHECK(contains(json, "},\n{\"source\":\"llm_serving:requests=20\",\"verdict\":\"none\","));
    CHECK(json.ends_with("}\n]}\n"));
    CHECK(growth(here, "--trace t.csv --workload llm_serving:requests=20 --format json -o g.json").empty());
    CHECK(here.read("g.json") == json);
}

TEST_CASE("where nothing is read, or something else is asked for, it says so") {
    const workplace here;
    here.write("bad.csv", "bytes_in_use\n7\nx\n");
    here.write("t.csv", leaking(10));
    const auto refused = [&](const std::string& arguments, const std::string& why) {
        CHECK(here.refusal("--growth " + arguments) == "hbm_compare: " + why + "\n");
    };
    refused("--trace bad.csv", "bad.csv:3:1: found `x`, expected bytes in use as a number below 2^64");
    CHECK(here.run("--growth=5").status == 2);
    CHECK(here.run("--growth --trace t.csv --manager best_fit -q").err.empty());
    here.write("tpu-info.txt",
               "\xe2\x94\x82 8      \xe2\x94\x82 18.50 GiB / 31.25 GiB \xe2\x94\x82 100.00% \xe2\x94\x82\n");
    for (const std::string arguments : {"--growth --trace tpu-info.txt", "tpu-info.txt"})
        CHECK(contains(here.run(arguments).out, "18.50G of 31.25G (59 %) is in use. 1 sample is too few"));
    CHECK(contains(here.refusal("--message tpu-info.txt"),
                   "tpu-info.txt holds samples of the memory in use, which say whether it grows: `hbm_compare --growth "
                   "--trace tpu-info.txt`"));
    here.write("s.csv", "step,bytes_in_use\n1,100\n");
    CHECK(here.run("--trace s.csv")
              .err.ends_with("\ns.csv holds samples of the memory in use, which say whether it grows: "
                             "`hbm_compare --growth --trace s.csv`\n"));
}

TEST_CASE("the total of a profile is that of the file, and what whole quanta add is said apart") {
    const workplace here;
    test::sample::pprof profile = test::sample::jax_profile();
    profile.sample(1000, 8000, "buffer", "TPU_0", {profile.frame("init", "train.py", 3)});
    here.write("memory.prof", profile.bytes());
    const std::string json = growth(here, "--trace memory.prof --format json");
    CHECK(contains(json, "\"end_bytes\":8000,\"granted_bytes\":512000,"));
}

TEST_CASE("the explanation of a failure lists the tags, and what grows comes first") {
    const workplace here;
    here.write("t.csv", leaking(200));
    const ending ended = here.run("--trace t.csv --manager best_fit --capacity 131072 --rounds 0 -q --on-oom oom.txt");
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    CHECK(contains(here.read("oom.txt"),
                   "\nBy tag (2, 128.0K in all):\n"
                   "    78.0K in       156 blocks  tag 'log', the oldest 156 steps old, grows by 512B a step since the "
                   "start\n"));
    const ending again = here.run("--trace t.csv --manager best_fit --capacity 131072 --rounds 0 -q --on-oom oom.json");
    REQUIRE(again.status == 0);
    CHECK(
        contains(here.read("oom.json"),
                 "\"tags\":{\"count\":2,\"bytes\":131072,\"shown\":[{\"name\":\"log\",\"kind\":\"tag\",\"size_bytes\":"
                 "79872,\"blocks\":156,\"oldest_steps\":156,\"bytes_a_step\":512.000000,\"since_step\":0},"));
}

}  // namespace hbm::test::growth_tests
