// --program: steps of a program out of the files of its XLA dump.

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

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
    CHECK(first.find("3 of 3") != std::string::npos);
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
    REQUIRE(both.out.ends_with(done.out));
    std::string sentences = both.out.substr(0, both.out.size() - done.out.size());
    sentences.erase(0, sentences.find("RESOURCE_EXHAUSTED"));  // behind the heading, which has the name of a file
    CHECK(longest_line(sentences.substr(0, sentences.find("Memory from "))) <= 80);
    const auto words_of = [](const std::string& text) {
        std::string words;
        for (const char letter : text)
            if (letter != ' ' && letter != '\n') words += letter;
        return words;
    };
    CHECK(words_of(both.out) == words_of(why + done.out));
    CHECK_FALSE(here.has("-"));
    CHECK(here.run("--program " + stem + "after_optimizations.txt:donate=asis --capacity 100KiB" + one_manager)
              .out.find("fails") == std::string::npos);
}

TEST_CASE("donate= with numbers donates these arguments as well, and names those that no output replaces") {
    const workplace here;
    here.write("m.txt",
               "HloModule jit_f, entry_computation_layout={(f32[1024]{0}, f32[1024]{0}, f32[8]{0})->(f32[1024]{0}, "
               "f32[1024]{0})}\n");
    const auto notes = [&](const std::string& numbers) {
        return here.run("--program m.txt:donate=" + numbers + " --capacity 1MiB" + one_manager).out;
    };
    CHECK(notes("0").find("12.0K as replayed (1 argument donated), 16.0K as compiled") != std::string::npos);
    CHECK(notes("0-1").find("8.0K as replayed (2 arguments donated), 16.0K as compiled") != std::string::npos);
    CHECK(notes("1+0").find("8.0K as replayed (2 arguments donated), 16.0K as compiled") != std::string::npos);
    CHECK(notes("2").find("Donated without effect in jit_f: 1 argument of 32B") != std::string::npos);
    for (const char* const numbers : {"3", "0-3", "x", "1-0", "0+", "-1"}) {
        CAPTURE(numbers);
        CHECK(here.run("--program m.txt:donate=" + std::string(numbers)).status == 2);
    }
    std::filesystem::create_directories(here.at("single"));
    here.write("single/module_0001.jit_f.cl_1.after_optimizations.txt", dump_samples::module_text);
    CHECK(here.run("--program single:donate=99").err.find("without a program") == std::string::npos);
    std::filesystem::create_directories(here.at("dump"));
    for (const char* const name : {"1.jit_f", "2.jit_g"})
        here.write("dump/module_000" + std::string(name) + ".cl_1.after_optimizations.txt", dump_samples::module_text);
    CHECK(here.run("--program dump:donate=0").err.find("found a dump of 2 programs") != std::string::npos);
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

TEST_CASE("programs: a result does not overwrite a file of the dump") {
    const workplace here;
    write_dump(here);
    CHECK(here.run("--program " + stem + "after_optimizations.txt -o " + stem + "after_optimizations.txt").status == 2);
    CHECK(here.read(stem + "after_optimizations.txt") == dump_samples::module_text);
}

}  // namespace hbm::test::program_tests
