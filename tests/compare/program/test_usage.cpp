// What hbm_compare makes of its command line: every option, and every way of getting it wrong.

#include <string>
#include <utility>

#include "compare_program.hpp"

namespace hbm::test::usage_tests {

namespace {

constexpr const char* tiny = "op,id,bytes\nalloc,a,1024\nalloc,b,1\nfree,a,\nalloc,c,512\nalloc,d,513\n";

}  // namespace

TEST_CASE("--help names every option, --version the version") {
    const workplace here;
    const ending help = here.run("--help");
    CHECK(help.status == 0);
    CHECK(help.err.empty());
    for (const char* option : {"--trace FILE",
                               "--workload NAME",
                               "--manager GLOB",
                               "--capacity SIZE|unlimited|min|GENERATION",
                               "--quantum N",
                               "--seed N",
                               "--rounds N",
                               "--format table|csv|json|md",
                               "-o FILE",
                               "--list",
                               "--baseline NAME",
                               "--color WHEN",
                               "--progress WHEN",
                               "--jobs N",
                               "--sweep FILE",
                               "--shard I/N",
                               "--schedule FILE",
                               "--variants N",
                               "--save FILE",
                               "--check FILE",
                               "merge FILE...",
                               "-q",
                               "--help",
                               "--version",
                               "transformer_training",
                               "Exit status"}) {
        CAPTURE(option);
        CHECK(count_of(help.out, option) >= 1);
    }
    CHECK(here.run("--version").out == "hbm_compare 0.1.0\n");
    CHECK(here.run("-V").out == "hbm_compare 0.1.0\n");
}

TEST_CASE("--help with a topic prints a part of the help") {
    const workplace here;
    const ending whole = here.run("--help");
    const ending sweeps = here.run("--help sweeps");
    CHECK(sweeps.status == 0);
    CHECK(count_of(sweeps.out, "--shard I/N") == 1);
    CHECK(count_of(sweeps.out, "--pprof") == 0);
    CHECK(count_of(sweeps.out, "\n") < count_of(whole.out, "\n") / 3);
    CHECK(count_of(here.run("--help=workloads").out, "llm_serving") == 1);
}

TEST_CASE("a file without an option is read by its content, and - is stdin") {
    const workplace here;
    here.write("t.csv", tiny);
    here.write("samples.csv", "step,bytes_in_use\n1,512\n2,512\n3,512\n4,512\n");
    here.write("log.txt",
               "RESOURCE_EXHAUSTED: Error loading program 'jit_f': Attempting to reserve 29.49G at the bottom "
               "of memory. That was not possible. There are 1.00G free, 0B reserved, and 1.00G reservable.\n");
    const std::string job = " --rounds 0 --manager best_fit --format json";
    const ending named = here.run("--trace t.csv" + job);
    CHECK(here.run("t.csv" + job).out == named.out);
    CHECK(here.run(job.substr(1) + " -- t.csv").out == named.out);
    CHECK(
        here.shell("cat t.csv | \"$COMPARE\" --trace - " + job + " >stdout 2>stderr").out.find("\"completed\":true") !=
        std::string::npos);
    CHECK(here.run("samples.csv").out == here.run("--growth --trace samples.csv").out);
    CHECK(here.run("log.txt").out == here.run("--message log.txt").out);
}

TEST_CASE("a closed pipe is no failure") {
    const workplace here;
    for (const char* what : {"--list", "--help", "--trace t.csv --rounds 0 --format json --manager '*'"}) {
        CAPTURE(what);
        here.write("t.csv", tiny);
        const ending ended = here.shell("{ \"$COMPARE\" " + std::string(what) +
                                        " 2>stderr; echo $? >status; } | true; cat status >stdout");
        CHECK(ended.out == "0\n");
        CHECK(ended.err.empty());
    }
}

TEST_CASE("every text for people keeps to the width of the screen") {
    const workplace here;
    here.write("t.csv", "op,id,bytes,tag\nalloc,a,1024," + std::string(500, 'x') + "\nalloc,b,99999\n");
    here.write("log.txt",
               "RESOURCE_EXHAUSTED: Error loading program 'jit_f': Attempting to reserve 29.49G at the bottom "
               "of memory. That was not possible. There are 1.00G free, 0B reserved, and 1.00G reservable.\n");
    for (const char* what :
         {"--help", "--list", "--message log.txt", "--growth --trace t.csv", "--trace t.csv --rounds 0 --recommend",
          "--trace t.csv --rounds 0 --capacity 8K --on-oom -", "--trace t.csv --rounds 0"}) {
        CAPTURE(what);
        const ending ended = here.run(what, "COLUMNS=60");
        CHECK(ended.status == 0);
        CHECK(longest_line(ended.out) <= 60);
    }
}

TEST_CASE("colour and progress appear where they are asked for") {
    const workplace here;
    here.write("t.csv", tiny);
    const std::string job = "--trace t.csv --rounds 0 ";
    CHECK(count_of(here.run(job).out, "\x1b") == 0);
    CHECK(count_of(here.run(job + "--color always").out, "\x1b") > 0);
    CHECK(count_of(here.run(job + "--color always --color never").out, "\x1b") == 0);
    CHECK(count_of(here.run(job + "--color always --format json").out, "\x1b") == 0);
    CHECK(here.run(job).err.empty());
    CHECK(count_of(here.run(job + "--progress always").err, " % t.csv under ") == 1);
    CHECK(here.run(job + "--progress always -q").err.empty());
}

TEST_CASE("what only deserves a warning is done, and said on stderr unless -q") {
    const workplace here;
    here.write("t.csv", tiny);
    const ending twice = here.run("--trace t.csv --trace t.csv --format json --rounds 0 --manager best_fit");
    CHECK(twice.status == 0);
    CHECK(count_of(twice.out, "\"workload\"") == 1);
    CHECK(here.run("-q --trace t.csv --trace t.csv").err.empty());
}

TEST_CASE("explanations alone may go to stdout, and beside what people read") {
    const workplace here;
    here.write("t.csv", tiny);
    const std::string job = "--trace t.csv --rounds 0 --manager best_fit --capacity 1K ";
    const std::string table = here.run(job).out;
    const std::string both = here.run(job + "--on-oom -").out;
    CHECK(both.ends_with(table));
    CHECK(both.size() > table.size());
    CHECK(here.run(job + "--on-oom - --format json -o x.json").out + table == both);
}

TEST_CASE("-o replaces the file as a whole, or not at all") {
    const workplace here;
    here.write("t.csv", tiny);
    here.write("bad.csv", "op,id\n");
    const std::string job = "--trace t.csv --rounds 0 --format csv";
    const std::string expected = here.run(job).out;
    CHECK(here.run(job + " -o result.csv").out.empty());
    CHECK(here.read("result.csv") == expected);

    CHECK(here.run("--trace bad.csv -o result.csv").status == 2);
    CHECK(here.read("result.csv") == expected);

    std::filesystem::create_symlink("result.csv", here.at("link"));
    here.write("result.csv", "old");
    CHECK(here.run(job + " -olink").status == 0);
    CHECK(std::filesystem::is_symlink(here.at("link")));
    CHECK(here.read("result.csv") == expected);

    CHECK(here.run(job + " -o /dev/null").status == 0);
    CHECK(std::filesystem::is_character_file("/dev/null"));
    for (const auto& each : std::filesystem::directory_iterator(here.at(""))) CHECK(each.path().extension() != ".part");
}

TEST_CASE("a result that cannot be written is a failure of the run") {
    const workplace here;
    here.write("t.csv", tiny);
    if (!std::filesystem::exists("/dev/full")) return;
    const ending full = here.shell("\"$COMPARE\" --trace t.csv --rounds 0 >/dev/full 2>stderr");
    CHECK(full.status == 1);
    CHECK(full.err == "hbm_compare: cannot write stdout: No space left on device\n");
}

TEST_CASE("an interrupt ends the program with 130 and leaves nothing after") {
    const workplace here;
    const ending ended = here.shell(
        "{ \"$COMPARE\" --workload llm_serving --capacity min --manager '*' -o result.json >stdout 2>stderr & "
        "sleep 0.5; kill -INT $!; wait $!; }");
    CHECK(ended.status == 130);
    CHECK(ended.out.empty());
    CHECK(!here.has("result.json"));
    for (const auto& each : std::filesystem::directory_iterator(here.at(""))) CHECK(each.path().extension() != ".part");
}

TEST_CASE("an interrupt leaves the workloads that are finished") {
    const workplace here;
    here.write("t.csv", tiny);
    // The workload with less work comes first, and the interrupt is sent when it is done.
    const ending ended = here.shell(
        "{ \"$COMPARE\" --workload llm_serving --trace t.csv --capacity min --manager 'best_fit*' --rounds 0 "
        "--format json --html page.html --save saved.json --progress always >stdout 2>stderr & "
        "until grep -q llm_serving stderr; do sleep 0.1; done; sleep 1; kill -INT $!; wait $!; }");
    CHECK(ended.status == 130);
    CHECK(count_of(ended.out, "\"workload\":\"t.csv\"") > 0);
    CHECK(count_of(ended.out, "llm_serving") == 0);
    CHECK(
        ended.out.starts_with("{\"schema\":\"hbm-compare/1\",\"interrupted\":{\"finished\":1,\"of\":2},\n\"rows\":["));
    CHECK(count_of(here.read("page.html"), "<h1>Interrupted:<wbr> this result is about 1 of 2 workloads. Take ") == 1);
    CHECK(count_of(ended.err, "interrupted: the result is about 1 of 2 workloads; nothing was written to ") == 1);
    CHECK(!here.has("saved.json"));
}

TEST_CASE("an interrupt ends the packing, and leaves what was compared") {
    const workplace here;
    // To pack this takes many seconds, of which one is over when the interrupt comes.
    const ending ended = here.shell(
        "{ \"$COMPARE\" --workload uniform_churn:live=60,operations=900 --offline --manager best_fit --rounds 0 "
        "--progress always >stdout 2>stderr & "
        "until grep -q uniform_churn stderr; do sleep 0.1; done; sleep 1; kill -INT $!; wait $!; }");
    CHECK(ended.status == 130);
    CHECK(ended.out.starts_with("Interrupted: this result is about 1 of 1 workload, but times and what is packed "));
    CHECK(count_of(ended.out, "\nbest_fit ") == 1);
    CHECK(count_of(ended.out, "offline") == 0);
    CHECK(count_of(ended.err, "interrupted: the result is about 1 of 1 workload") == 1);
}

TEST_CASE("a folder without the recorded traces is named, with the remedy") {
    const workplace here;
    const ending ended = here.run("", "HBM_TRACE_DIRECTORY=/nonexistent");
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(count_of(ended.err, "/nonexistent/gnn_subgraphs.csv") == 1);
    CHECK(count_of(ended.err, "configure and build again") == 1);
}

}  // namespace hbm::test::usage_tests
