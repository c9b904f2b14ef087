// What --on-oom writes about managers that failed.

#include <string>
#include <utility>

#include "compare_program.hpp"

namespace hbm::test::on_oom_tests {

namespace {

// Two quanta each, the middle one goes, and three in one piece are asked for of four that are free.
constexpr const char* gap = "op,id,bytes,tag\n"
                            "alloc,a,1024,weights\n"
                            "alloc,b,1024,\n"
                            "alloc,c,1024,cache\n"
                            "free,b,,\n"
                            "alloc,d,1536,new\n";

// Ten quanta: four of code, three each of a and b. The run wants a fourth of three.
constexpr const char* run = "op,id,bytes,inputs,donated,outputs,reload_us\n"
                            "load,p,2048,,,,7\n"
                            "alloc,a,1536,,,,\n"
                            "alloc,b,1536,,,,\n"
                            "run,p,,a,b,o:1536,\n";

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string explain(const workplace& here, const char* trace, const std::string& arguments,
                    const std::string& file = "oom.txt") {
    here.write("t.csv", trace);
    const ending ended = here.run("--trace t.csv --rounds 0 -q --on-oom " + file + " " + arguments);
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    return here.read(file);
}

}  // namespace

TEST_CASE("to evict the program that a buffer is for is said to help that request alone") {
    const workplace here;
    // Four quanta of code; b does not fit beside a and p, and p runs with b, or with a only.
    const std::string rows = "op,id,bytes,inputs,donated,outputs\nload,p,2048,,,\nalloc,a,1536,,,\nalloc,b,1536,,,\n";
    const std::string words = "A remedy that evicts program 'p' helps this request alone: event 4 runs it with this "
                              "very buffer, and has to bring it back.\n";
    for (const auto& each :
         {std::pair{"run,p,,a,,o:1\nrun,p,,a,b,o2:1\n", 1U}, std::pair{"run,p,,a,,o:1\nrun,p,,b,,o2:1\n", 1U},
          std::pair{"run,p,,a,,o:1\nfree,b,,,,\n", 0U}}) {
        CAPTURE(each.first);
        const std::string text = explain(here, (rows + each.first).c_str(), "--manager xla_bfc --capacity 4096");
        REQUIRE(contains(text, ". Evict program 'p': "));
        CHECK(count_of(text, words) == each.second);
    }
}

TEST_CASE("a manager that fails: the message, the cause, what helps, and what is in memory") {
    const workplace here;
    const std::string text = explain(here, gap, "--manager best_fit --capacity 4096");
    const std::string expected =
        "== t.csv, event 4 of 5 counted from 0 (line 6) ==\n"
        "under best_fit\n"
        "\n"
        "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 1.5K. That was not possible. There "
        "are 2.0K free. The largest contiguous region of free memory is 1.0K due to fragmentation.; (0x0x0_HBM0)\n"
        "Why: the free memory is in pieces. The longest, 1.0K at offset 1.0K, lies between buffer 'a (weights)' (1.0K "
        "at offset 0B, which this manager may not move) and buffer 'c (cache)' (1.0K at offset 2.0K, which this "
        "manager "
        "may not move) and is 512B too short.\n"
        "What would help, cheapest first:\n"
        "  1. Move 'c (cache)' (1.0K in 1 copy): 2.0 us, and nothing costs less\n"
        "  2. Ask for at most 1.0K (1024 bytes)\n"
        "  3. Have 512B more memory, at the top: 4.5K (4608 bytes) in all\n"
        "Moves are made by hand here, with relieve(): a manager with compacting<> makes them by itself.\n"
        "Each was tried on a copy of this memory, where the allocation then succeeded.\n"
        "\n"
        "E0100 on device custom, manager best_fit, quantum 512B\n";
    CHECK(text.substr(0, expected.size()) == expected);
    CHECK(contains(text, "buffer 'a (weights)', 4 events old\n"));
    CHECK(contains(text, "buffer 'c (cache)', 2 events old\n"));
}

TEST_CASE("all fits are explained alike, and the managers that cannot differ are named together") {
    const workplace here;
    const std::string text = explain(here, gap, "--manager '*first_fit*' --capacity 4096");
    CHECK(contains(text, "under first_fit, and under 11 more that cannot differ here:\n    first_fit/never_evict/"));
    // Words are explained once, below all failures.
    const std::string two = explain(here, gap, "--manager first_fit --manager buddy --capacity 4096");
    CHECK(contains(two, "under first_fit\n"));
    CHECK(contains(two, "under buddy\n"));
    CHECK(two.find("\nWords:\n") > two.rfind("Available after request"));
    CHECK(two.find("\nWords:\n") == two.rfind("\nWords:\n"));
    CHECK(contains(two, "\n  E0100: "));
    // That one moves, but it has to be asked: only what fails is explained.
    CHECK(!contains(text, "under compacting<first_fit>"));
    CHECK(contains(text, "  1. Move 'c (cache)' (1.0K in 1 copy): 2.0 us, and nothing costs less\n"));
}

TEST_CASE("a run: its program is named, and what could be donated") {
    const workplace here;
    const std::string text = explain(here, run, "--manager 'best_fit' --manager '*best_fit/evict_lru' --capacity 5120");
    CHECK(contains(text, "under best_fit\n"));
    CHECK(contains(text, "  1. Donate argument 0, 'a'\n  2. Let outputs take over donated argument 1, 'b'\n"));
    CHECK(contains(text,
                   "Under this manager no output takes over an input. To donate, give it a donation policy such as "
                   "donate_same_size, which the copy had.\n"));
    CHECK(contains(text, "  code 'p'\n"));
    // A program never makes way for its own run.
    CHECK(!contains(text, "Evict program"));
}

TEST_CASE(
    "beside a table only what people have is explained where there are programs, and what completes is said first") {
    const workplace here;
    here.write("t.csv", run);
    // The output takes the place of b where something is donated.
    const std::string first = "t.csv completes under tpu::runtime_memory (the manager that a TPU has) and xla_bfc.\n";
    const std::string job = "--trace t.csv --rounds 0 --capacity 5120 --on-oom ";
    const std::string beside = here.run(job + "-").out;
    CHECK(beside.starts_with(first + "Why it fails under best_fit, "));
    CHECK(contains(beside, " is told if they are named with --manager, or in a file: --on-oom why.txt.\n\nt.csv: "));
    CHECK(!contains(beside, "\nunder best_fit"));
    REQUIRE(here.run(job + "why.txt").status == 0);
    const std::string file = here.read("why.txt");
    CHECK(file.starts_with(first + "\n== t.csv, event 3 of 4"));
    CHECK(contains(file, "\nunder best_fit\n"));
    CHECK(!contains(file, "Why it fails"));
    const std::string named = here.run(job + "- --manager best_fit").out;
    CHECK(named.starts_with("== t.csv, event 3 of 4"));
    CHECK(contains(named, "\nunder best_fit\n"));
    // Before the first run of a program nothing is old.
    CHECK(!contains(named, " old\n"));
    // Where people's own manager fails it is explained, and without programs every manager is.
    const std::string all_fail = here.run("--trace t.csv --rounds 0 --capacity 4096 --on-oom -").out;
    CHECK(all_fail.starts_with("== t.csv, event "));
    CHECK(contains(all_fail, "\nunder tpu::runtime_memory, which is "));
    here.write("t.csv", gap);
    CHECK(
        contains(here.run("--trace t.csv --rounds 0 --capacity 4096 --on-oom -").out, "\nunder best_fit, and under "));
}

TEST_CASE("a search that was cut short names the option that makes it longer") {
    const workplace here;
    CHECK(contains(explain(here, gap, "--manager best_fit --capacity 4096 --effort 0"),
                   "The search for remedies used up its effort (--effort 0): with more, "));
}

TEST_CASE("what would help is tried under a manager that evicts, where the one that failed does") {
    const workplace here;
    // Ten quanta: two of code that would make way, three of data.
    const std::string text =
        explain(here, "op,id,bytes\nload,p,1024\nalloc,a,1536\nalloc,b,4096\n",
                "--manager 'compacting<best_fit>' --manager 'compacting<best_fit>/evict_lru' --capacity 5120");
    const std::string evicting = text.substr(text.find("under compacting<best_fit>/evict_lru"));
    CHECK(contains(text.substr(0, text.size() - evicting.size()), "  1. Ask for at most 2.5K (2560 bytes)\n"));
    CHECK(contains(evicting, "  1. Ask for at most 3.5K (3584 bytes)\n"));
    CHECK(contains(evicting, "  2. Have 512B more memory, at the top: 5.5K (5632 bytes) in all\n"));
}

TEST_CASE("as JSON, if the name says so; and more quanta than 32 bits count") {
    const workplace here;
    const std::string json = explain(here, gap, "--manager 'b*_fit' --manager buddy --capacity 4096", "oom.json");
    CHECK(json.starts_with(
        "{\"schema\":\"hbm-oom/1\",\"failures\":[\n{\"workload\":\"t.csv\",\"managers\":[\"best_fit\"],"
        "\"failed_event\":4,\"workload_needs_bytes\":"));
    CHECK(contains(json, ",\"explanation\":{\"schema\":\"hbm-explanation/1\",\"message\":"));
    CHECK(contains(json, "\n{\"workload\":\"t.csv\",\"managers\":[\"buddy\"],"));
    CHECK(json.ends_with("}\n]}\n"));
    CHECK(contains(explain(here, "op,id,bytes\nalloc,a,4398046511104\nalloc,b,4398046511104\n",
                           "--manager best_fit --capacity 6TiB --quantum 64"),
                   "  1. Ask for at most 2.00T (2199023255552 bytes)\n"));
}

TEST_CASE("memory is shown once for failures that read the same but for numbers; each is explained") {
    const workplace here;
    const std::string job = "--manager 'b*_fit' --manager first_fit --manager good_fit --manager buddy --capacity 4096";
    const std::string text = explain(here, gap, job);
    const auto count = [&](std::string_view what) {
        std::size_t found = 0;
        for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++found;
        return found;
    };
    const std::size_t failures = count("\nunder ") + (text.starts_with("under ") ? 1U : 0U);
    REQUIRE(failures >= 2);
    CHECK(count("What was in memory is left out: it failed like ") == failures - count("\nMemory from 0 to "));
    CHECK(count("What was in memory is left out: it failed like ") >= 1);
    CHECK(count("\nRESOURCE_EXHAUSTED: ") == failures);
}

TEST_CASE("where nobody fails it says so, and a result in the same place is refused") {
    const workplace here;
    CHECK(explain(here, gap, "--manager best_fit") == "No manager ran out of memory.\n");
    CHECK(explain(here, gap, "--manager best_fit", "none.json") == "{\"schema\":\"hbm-oom/1\",\"failures\":[\n]}\n");
    const auto refused = [&](const std::string& arguments, const std::string& why) {
        const ending ended = here.run("--trace t.csv --rounds 0 " + arguments);
        CHECK(ended.status == 2);
        CHECK(ended.out.empty());
        CHECK(ended.err == "hbm_compare: " + why + "\n");
    };
    refused("-o same --on-oom ./same", "./same: found the path of -o, expected another one for --on-oom");
    refused("--on-oom t.csv", "t.csv: found the trace itself, expected a path that may be overwritten");
    refused("--on-oom .", ".: found a folder, expected the path of a file");
    CHECK(!here.has("same"));
    for (const auto& each : std::filesystem::directory_iterator(here.at(""))) CHECK(each.path().extension() != ".part");
}

}  // namespace hbm::test::on_oom_tests
