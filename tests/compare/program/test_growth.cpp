// What hbm_compare --growth says about traces, workloads and samples.

#include <string>

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

TEST_CASE("a trace: the sentence, the table, and the end where the capacity is given") {
    const workplace here;
    here.write("t.csv", leaking(100));
    CHECK(growth(here, "--trace t.csv --capacity 1MiB") ==
          "t.csv: Memory grows by 512B a step from the start; tag 'log' holds 100 % of it; memory (1.00M) is full at "
          "step 1,948.\n"
          "\n"
          "tag    grows  since   most  at the peak  blocks  oldest  at the end  blocks  oldest\n"
          "log     512B      0  50.0K        50.0K     100      99       50.0K     100     100\n"
          "batch      -      -  50.0K        50.0K       1       0          0B       0       -\n"
          "grows: bytes a step; oldest: how many steps ago it was allocated\n");
    const std::string without = growth(here, "--trace t.csv");
    CHECK(contains(without, "; how much memory there is was not said.\n"));
    CHECK(without.ends_with("\nWith --capacity, such as 16GiB or v5e, it is said when memory ends.\n"));
}

TEST_CASE("a log in which memory_stats() was printed is a series of samples") {
    const workplace here;
    std::string log = "epoch 1\n";
    for (int at = 0; at < 100; ++at)
        log += "step " + std::to_string(10 * at) +
               " loss 0.5 {'num_allocs': 3, 'bytes_in_use': " + std::to_string(1'000'000 + 5120 * at) +
               ", 'bytes_limit': 2000000}\n";
    here.write("train.log", log);
    // The first sample above the limit would be that of 1,000,000 + 5120 x 196 bytes.
    CHECK(growth(here, "--trace train.log") ==
          "train.log: Memory grows by 512B a step from the start; memory (1.91M) is full at step 1,960.\n");
}

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

TEST_CASE("samples are known by their header row") {
    const workplace here;
    std::string text = "bytes_limit,step,bytes_in_use\n";
    for (int at = 0; at < 200; ++at)
        text += "10000000," + std::to_string(10 * at) + "," + std::to_string(1'000'000 + 1000 * at) + "\n";
    here.write("s.csv", text + "10000000,2000,\n");
    const ending ended = here.run("--growth --trace s.csv");
    CHECK(ended.status == 0);
    CHECK(ended.out == "s.csv: Memory grows by 100B a step from the start; memory (9.54M) is full at step 90,000.\n");
    CHECK(ended.err == "hbm_compare: warning: s.csv: 1 sample without bytes in use is left out\n");
    CHECK(contains(growth(here, "--trace s.csv -q --capacity 2000000"), "; memory (1.91M) is full at step 10,000.\n"));
}

TEST_CASE("samples at uneven times are judged by time; several at one time are a warning, samples without one a hint") {
    const workplace here;
    std::string night = "time,bytes_in_use,bytes_limit\n";
    for (int at = 0; at < 120; ++at) {
        const int minute = at < 60 ? at : at + 600;
        night += std::to_string(60 * minute) + "," + std::to_string(1'000'000 + 1024 * minute) + ",2000000\n";
    }
    here.write("night.csv", night);
    // 1,000,000 bytes at 1,024 a minute are 976.6 minutes, of which 719 are over: 258 minutes, rounded up.
    CHECK(growth(here, "--trace night.csv") ==
          "night.csv: Memory grows by 60.0K an hour from the start; memory (1.91M) is full in "
          "4.3 h, counted from the last sample.\n");
    std::string same = "time,bytes_in_use,bytes_limit\n";
    std::string plain = "bytes_in_use,bytes_limit\n";
    for (int at = 0; at < 60; ++at) {
        same += "7," + std::to_string(1'000'000 + 1024 * at) + ",2000000\n";
        plain += std::to_string(1'000'000 + 1024 * at) + ",2000000\n";
    }
    here.write("same.csv", same);
    here.write("plain.csv", plain);
    const ending ended = here.run("--growth --trace same.csv");
    CHECK(ended.out == "same.csv: 1 sample is too few to tell growth from anything else; 8 are the fewest.\n");
    CHECK(ended.err == "hbm_compare: warning: same.csv:3: 59 samples have the time of another; of those with one time "
                       "the last counts. If they are of several devices, name these in a column `device`\n");
    CHECK(growth(here, "--trace plain.csv")
              .ends_with("\n\nThe samples are taken to be equally far apart. A column step or time (seconds, or dates) "
                         "says where they are, and when memory ends.\n"));
}

TEST_CASE("samples without a header are told which header they need; a step that goes back is a warning") {
    const workplace here;
    here.write("s.csv", "# mine\n0,1,2\n");
    here.write("m.csv", "step,memory\n0,1\n");
    here.write("t.csv", "op,id,bytes\nalloc,a,x\n");
    const std::string need = "; samples need a header with bytes_in_use, such as `step,bytes_in_use,bytes_limit`\n";
    CHECK(here.run("--growth --trace s.csv").err.ends_with(need));
    CHECK(here.run("--growth --trace m.csv").err.ends_with(need));
    CHECK(!contains(here.run("--growth --trace t.csv").err, "samples"));
    CHECK(!contains(here.run("--growth --trace none.csv").err, "samples"));
    here.write("back.csv", "step,bytes_in_use\n0,5\n1,5\n0,5\n");
    CHECK(contains(here.run("--growth --trace back.csv").err, "warning: back.csv:4: the step or time is before "));
}

TEST_CASE("a file that marks no steps gets no verdict, a generated workload does") {
    const workplace here;
    here.write("t.csv", "op,id,bytes,tag\nalloc,a,5,x\nfree,a,,\nalloc,b,5,x\n");
    CHECK(growth(here, "--trace t.csv").starts_with("t.csv: The file marks no steps: "));
    CHECK(contains(growth(here, "--trace t.csv --format json"), "\"withheld\":\"no_steps_marked\""));
    here.write("i.csv", "op,id,bytes,tag\nalloc,a,512,x\n");
    CHECK(growth(here, "--trace i.csv").starts_with("i.csv: What is in memory, by who allocated it: "));
    CHECK(growth(here, "--workload slow_leak:steps=2000").starts_with("slow_leak:steps=2000: Tag 'metric' grows by "));
}

TEST_CASE("where nothing is read, or something else is asked for, it says so") {
    const workplace here;
    here.write("bad.csv", "bytes_in_use\n7\nx\n");
    here.write("t.csv", leaking(10));
    const auto refused = [&](const std::string& arguments, const std::string& why) {
        const ending ended = here.run("--growth " + arguments);
        CHECK(ended.status == 2);
        CHECK(ended.out.empty());
        CHECK(ended.err == "hbm_compare: " + why + "\n");
    };
    refused("--trace bad.csv", "bad.csv:3:1: found `x`, expected bytes in use as a number below 2^64");
    refused("--trace none.csv", "none.csv: found a file that cannot be read (No such file or directory), expected the "
                                "path of a readable trace file");
    refused("--trace t.csv --format md", "--growth: found --format csv or md, expected table or json");
    refused("--trace t.csv --on-oom x",
            "--on-oom: found --growth beside it, expected one of them: nothing fails there");
    refused("--trace t.csv -o t.csv", "t.csv: found the trace itself, expected a path that may be overwritten");
    CHECK(here.run("--growth=5").status == 2);
    // What has no effect is said, and samples without --growth are answered with what to call.
    const ending idle = here.run("--growth --trace t.csv --manager best_fit --rounds 0 --rounds=0");
    CHECK(idle.status == 0);
    CHECK(contains(idle.err, "warning: --manager has no effect beside --growth: nothing is compared there\n"));
    CHECK(contains(idle.err, "warning: --rounds has no effect beside --growth: nothing is compared there\n"));
    CHECK(here.run("--growth --trace t.csv --manager best_fit -q").err.empty());
    here.write("s.csv", "step,bytes_in_use\n1,100\n");
    CHECK(here.run("--trace s.csv")
              .err.ends_with("\ns.csv holds samples of the memory in use, which say whether it grows: "
                             "`hbm_compare --growth --trace s.csv`\n"));
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

TEST_CASE("the explanation of a failure says neither growth nor age in steps where a trace marks no steps") {
    const workplace here;
    std::string text = "op,id,bytes,tag\n";
    for (int at = 0; at < 400; ++at)
        text += "alloc,k" + std::to_string(at) + "," + std::to_string(512 * at + 512) + ",kept\n";
    here.write("t.csv", text);
    const ending ended = here.run("--trace t.csv --manager best_fit --capacity 1MB --rounds 0 -q --on-oom oom.txt");
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    const std::string told = here.read("oom.txt");
    CHECK(contains(told, "blocks  tag 'kept'\n"));
    CHECK(!contains(told, "grows by"));
    REQUIRE(here.run("--trace t.csv --manager best_fit --capacity 1MB --rounds 0 -q --on-oom oom.json").status == 0);
    CHECK(contains(here.read("oom.json"), "\"oldest_steps\":null,\"bytes_a_step\":null,\"since_step\":null}"));
}

TEST_CASE("an import that fails names the range and what lies there") {
    const workplace here;
    const auto message = [&](const std::string& row) {
        here.write("t.csv", "op,id,bytes,offset\nimport,a,4096,0\n" + row + "\n");
        const ending ended = here.run("--trace t.csv --manager best_fit --capacity 1MB --rounds 0 -q --on-oom oom.txt");
        REQUIRE_MESSAGE(ended.status == 0, ended.err);
        return here.read("oom.txt");
    };
    CHECK(contains(message("import,b,4096,2048"),
                   "the range to be taken is not free, or reaches beyond the memory; asked for was 4.0K at 2,048, to "
                   "6,144, where buffer 'a' of 4.0K lies at 0\n"));
    CHECK(contains(message("import,b,4096,1044992"), "; asked for was 4.0K at 1,044,992, and the memory ends at "
                                                     "1,048,576\n"));
}

}  // namespace hbm::test::growth_tests
