// --program: steps of a program out of the files of its XLA dump.

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <utility>

#include "compare/program/compare_program.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::program_tests {

namespace {

const std::string stem = "module_0001.jit_step.cl_1.";
const std::string one_manager = " --rounds 0 --manager best_fit/never_evict/donate_same_size ";

/// A folder with the dump of a program.
void write_dump(const workplace& here) {
    here.write(stem + "after_optimizations.txt", dump_samples::module_text);
    here.write(stem + "after_optimizations-buffer-assignment.txt", dump_samples::assignment_text);
    here.write(stem + "after_optimizations-memory-usage-report.txt", dump_samples::report_text);
    here.write("module_0002.jit_step.cl_1.after_optimizations-buffer-assignment.txt", "of another program");
}

}  // namespace

TEST_CASE("--program finds the files of a dump by any of them, and says what the program needs") {
    const workplace here;
    write_dump(here);
    std::string first;
    for (const char* end : {"after_optimizations.txt", "after_optimizations-buffer-assignment.txt",
                            "after_optimizations-memory-usage-report.txt"}) {
        const ending done = here.run("--program " + stem + end + " --capacity 1MiB" + one_manager, "COLUMNS=300");
        CAPTURE(done.err);
        CHECK(done.status == 0);
        CHECK(done.err.empty());
        CHECK(done.out.starts_with(stem + end + ": "));
        const std::string rest = done.out.substr(done.out.find(": "));
        if (first.empty()) first = rest;
        CHECK(rest == first);
    }
    CHECK(first.find("By its files a run of jit_step takes at least 89.5K: arguments 24.0K (2), outputs 16.5K (2, "
                     "16.0K of them in place\n"
                     "    of arguments), temporaries 64.0K, constants 1.0K, code unknown.") != std::string::npos);
    CHECK(first.find("Code is unknown and counted as nothing: ") != std::string::npos);
    CHECK(first.find("Padding in jit_step:") != std::string::npos);
    CHECK(first.find("3 of 3") != std::string::npos);
}

TEST_CASE("what is known beside the files is added, and then nothing is unknown") {
    const workplace here;
    write_dump(here);
    const ending done =
        here.run("--program " + stem + "after_optimizations.txt:code=1MiB --capacity 4MiB" + one_manager);
    CHECK(done.out.find("code 1.00M.") != std::string::npos);
    CHECK(done.out.find("at least 1.09M") == std::string::npos);
    CHECK(done.out.find("unknown") == std::string::npos);
}

TEST_CASE("a program that does not fit is explained, with the names of its arguments") {
    const workplace here;
    write_dump(here);
    const ending done = here.run("--program " + stem + "after_optimizations.txt:name=train,donate=none,runs=2 " +
                                 "--capacity 100KiB --on-oom why.txt" + one_manager);
    CHECK(done.status == 0);
    CHECK(done.out.find("No manager can complete it: at least ") != std::string::npos);
    CHECK(done.out.find(" at event ") != std::string::npos);
    const std::string why = here.read("why.txt");
    CHECK(why.find("RESOURCE_EXHAUSTED") != std::string::npos);
    CHECK(why.find("train/arg0 (argument f32[16x192])") != std::string::npos);
    const ending both = here.run("--program " + stem + "after_optimizations.txt:name=train,donate=none,runs=2 " +
                                 "--capacity 100KiB --on-oom -" + one_manager);
    CHECK(both.out == why + done.out);
    CHECK_FALSE(here.has("-"));
    CHECK(here.run("--program " + stem + "after_optimizations.txt:donate=asis --capacity 100KiB" + one_manager)
              .out.find("fails") == std::string::npos);
}

TEST_CASE("the first note is the answer: what is needed, and which memory has it") {
    const workplace here;
    write_dump(here);
    const std::string job = "--program " + stem + "after_optimizations.txt";
    const ending assumed = here.run(job + one_manager);
    CHECK(assumed.out.find(
              "\n\n  - jit_step needs at least 90.0K (code unknown). Without its code it fits v2 (7.48G), v3 "
              "(15.48G), ") != std::string::npos);
    // What its files say of a run is another figure, and not called its need.
    CHECK(count_of(assumed.out, "jit_step needs ") == 1);
    CHECK(assumed.out.find("was given: v5e is") != std::string::npos);
    const ending large = here.run(job + ":code=20GiB --capacity V5E" + one_manager);
    CHECK(large.out.find("; not v2, v3, v5e.") != std::string::npos);
    CHECK(large.out.find("enough.\n") != std::string::npos);
    CHECK(large.out.find("is assumed") == std::string::npos);
    const ending none = here.run(job + ":code=200GiB" + one_manager);
    CHECK(none.out.find("Fits no TPU: not v2, v3, v4, v5e, v5p, v6e, 7x.") != std::string::npos);
    const ending changed = here.run(job + ":donate=none --capacity 1MiB" + one_manager);
    CHECK(changed.out.find("as replayed (nothing donated), 89.5K as compiled: ") != std::string::npos);
    CHECK(here.run(job + ":code=20GiB --capacity 1MiB --on-oom -" + one_manager)
              .out.find("; the remedies below are for this request alone.\n") != std::string::npos);
}

TEST_CASE("several programs run on one device, and with=FILE names another file of a program") {
    const workplace here;
    write_dump(here);
    here.write("other.txt", dump_samples::module_text);
    const ending done =
        here.run("--program " + stem + "after_optimizations.txt --program other.txt:runs=1,every=2,with=" + stem +
                 "after_optimizations-memory-usage-report.txt --capacity 1MiB --format json" + one_manager);
    CHECK(done.status == 0);
    CHECK(count_of(done.out, "\"manager\":") == 1);
    CHECK(done.err.find("hbm_compare: note: By its files a run of jit_step takes") != std::string::npos);
    CHECK(done.err.find("hbm_compare: note: By its files a run of jit_step#2 takes") != std::string::npos);
    CHECK(done.err.find("say share=yes") != std::string::npos);
    CHECK(value_of(done.out, "best_fit/never_evict/donate_same_size", "events") == "12");
}

TEST_CASE("a module alone leaves temporaries unknown, and says which file to bring") {
    const workplace here;
    here.write("m.txt", dump_samples::module_text);
    const ending done = here.run("--program m.txt --capacity 1MiB" + one_manager);
    CHECK(done.status == 0);
    CHECK(done.out.find("a run of jit_step takes at least 24.5K: ") != std::string::npos);
    CHECK(done.out.find("temporaries unknown, constants unknown") != std::string::npos);
    CHECK(done.out.find("The temporaries and constants of jit_step are unknown") != std::string::npos);
    CHECK(done.out.find("bring the *after_optimizations-buffer-assignment.txt") != std::string::npos);
    const ending with = here.run("--program m.txt:temp=1KiB,code=1KiB --capacity 1MiB" + one_manager);
    CHECK(with.out.find("takes at least 26.5K: ") != std::string::npos);
    CHECK(with.out.find("The constants of jit_step are unknown") != std::string::npos);
}

// 8 GiB come in and go out again elsewhere: 16 GiB, and temporaries on top. v2, v3 and v5e have less.
TEST_CASE("nothing is said to fit where temporaries are unknown, but what is too large is named") {
    const workplace here;
    here.write("small.txt", dump_samples::module_text);
    here.write("large.txt",
               "HloModule jit_step, is_scheduled=true, "
               "entry_computation_layout={(f32[2048,1048576]{1,0:T(8,128)})->f32[2048,1048576]{1,0:T(8,128)}}\n");
    const auto in_a_line = [&](const std::string& file) {
        std::string text = here.run("--program " + file + " --capacity v5p" + one_manager).out;
        for (std::size_t at = 0; (at = text.find("\n    ", at)) != std::string::npos;) text.replace(at, 5, " ");
        CHECK(text.find("Fits") == std::string::npos);
        return text;
    };
    CHECK(in_a_line("small.txt")
              .find("(temporaries and constants, code unknown). No TPU is ruled out by that: v2 "
                    "(7.48G), v3 (15.48G), ") != std::string::npos);
    CHECK(in_a_line("large.txt")
              .find("needs at least 16.00G (temporaries and constants, code unknown). Certainly too large for v2, v3, "
                    "v5e; not ruled out: v4 (30.75G), v5p (95.74G), ") != std::string::npos);
}

TEST_CASE("a file beside that is damaged is left out with a warning") {
    const workplace here;
    write_dump(here);
    here.write(stem + "after_optimizations-buffer-assignment.txt", "BufferAssignment:\nnonsense\n");
    const ending done = here.run("--program " + stem + "after_optimizations.txt --capacity 1MiB" + one_manager);
    CHECK(done.status == 0);
    CHECK(done.err.find("warning: " + stem + "after_optimizations-buffer-assignment.txt:2:1: found `nonsense`") !=
          std::string::npos);
    CHECK(done.out.find("temporaries 64.0K") != std::string::npos);
}

TEST_CASE("wrong programs end with status 2 and name the place and the remedy") {
    const workplace here;
    write_dump(here);
    here.write("whole.txt", "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}, num_partitions=4\n"
                            "\nENTRY %main (p: f32[8]) -> f32[8] {\n  ROOT %p = f32[8]{0} parameter(0)\n}\n");
    const std::pair<const char*, const char*> all[] = {
        {"--program", "hbm_compare: --program: found nothing, expected --program FILE[:key=value,...]\n"},
        {"--program ''", "hbm_compare: --program: found nothing, expected FILE[:key=value,...], the path"},
        {"--program x:runs=0", "hbm_compare: --program: found `x:runs=0`, expected runs=N, a whole number from 1"},
        {"--program x:run=1",
         "hbm_compare: --program: found `x:run=1`, expected one of the keys runs, every, name, donate, "
         "share, with, code and temp in place of `run`; did you mean `runs`?"},
        {"--program x:donate=some", "hbm_compare: --program: found `x:donate=some`, expected donate=asis, "},
        {"--program x:runs=2,code=1.5",
         "hbm_compare: --program: found `x:runs=2,code=1.5`, expected code=SIZE, such as 180MiB, in place of "
         "`code=1.5`"},
        {"--program x:code=1.5", "hbm_compare: --program: found `x:code=1.5`, expected code=SIZE"},
        {"--program missing.txt", "hbm_compare: missing.txt: found a file that cannot be read"},
        {"--program whole.txt", "hbm_compare: whole.txt: found whole arrays that 4 devices share"},
        {"--program module_0002.jit_step.cl_1.after_optimizations-buffer-assignment.txt",
         "hbm_compare: module_0002.jit_step.cl_1.after_optimizations-buffer-assignment.txt: found text without"},
        {"--program whole.txt -o whole.txt", "hbm_compare: whole.txt: found whole arrays"},
    };
    for (const auto& each : all) {
        CAPTURE(each.first);
        const ending ended = here.run(each.first);
        CAPTURE(ended.err);
        CHECK(ended.status == 2);
        CHECK(ended.out.empty());
        CHECK(ended.err.starts_with(each.second));
    }
    CHECK(here.run("--program " + stem + "after_optimizations.txt -o " + stem + "after_optimizations.txt").status == 2);
    CHECK(here.read(stem + "after_optimizations.txt") == dump_samples::module_text);
}

TEST_CASE("a folder is answered with its longest compiled program") {
    const workplace here;
    write_dump(here);
    here.write("module_0003.jit_long.cl_1.after_optimizations.txt", std::string(100'000, ' '));
    here.write("module_0003.jit_long.cl_1.before_optimizations.txt", std::string(200'000, ' '));
    const ending done = here.run("--program .");
    CHECK(done.status == 2);
    CHECK(done.err ==
          "hbm_compare: .: found a folder, expected a file of it, such as the longest of a compiled program: "
          "./module_0003.jit_long.cl_1.after_optimizations.txt\n");
    std::filesystem::create_directory(here.at("empty"));
    CHECK(here.run("--describe empty").err == "hbm_compare: empty: found a folder, expected a file\n");
}

TEST_CASE("a path may hold colons") {
    const workplace here;
    std::filesystem::create_directory(here.at("a:b"));
    here.write("a:b/m.txt", dump_samples::module_text);
    CHECK(here.run("--program a:b/m.txt --capacity 1MiB" + one_manager).status == 0);
    CHECK(here.run("--program a:b/m.txt:runs=1,name=x:y --capacity 1MiB" + one_manager).status == 0);
}

}  // namespace hbm::test::program_tests
