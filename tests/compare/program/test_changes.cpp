// --before: what has changed between two messages, profiles, traces or programs.

#include <doctest/doctest.h>

#include <string>

#include "compare/program/compare_program.hpp"
#include "compare/read/pprof_sample.hpp"
#include "compare/xla/dump_samples.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::changes_tests {

TEST_CASE("changes between profiles: what is new, grew, shrank and went, by tag and line") {
    const workplace here;
    const auto write = [&](const char* name, std::int64_t state, std::int64_t cache, const char* last) {
        sample::pprof profile = sample::jax_profile();
        profile.sample(2, state, "buffer", "TPU_0", {profile.frame("init", "train.py", 10)});
        profile.sample(1, cache, "buffer", "TPU_0", {profile.frame("cache", "train.py", 20)});
        profile.sample(1, 3000, "buffer", "TPU_0", {profile.frame("same", "train.py", 30)});
        profile.sample(3, 30000, "buffer", "TPU_0", {profile.frame(last, "train.py", 40)});
        here.write(name, profile.bytes());
    };
    write("old.prof", 20000, 9000, "went");
    write("new.prof", 120000, 4000, "fresh");
    const std::string table = "new.prof holds 92.8K more than old.prof: 153.3K, before 60.5K.\n"
                              "Largest rise: buffer init (train.py:10) grew by 97.7K.\n"
                              "\n"
                              "Look first at what is new or grew:\n"
                              "  grew    +97.7K  2 to 2 blocks  buffer init (train.py:10)\n"
                              "  new     +29.3K  0 to 3 blocks  buffer fresh (train.py:40)\n"
                              "  went    -29.3K  3 to 0 blocks  buffer went (train.py:40)\n"
                              "  shrank   -4.9K   1 to 1 block  buffer cache (train.py:20)\n";
    CHECK(here.run("--before old.prof --trace new.prof").out == table);
    CHECK(here.run("--growth --trace new.prof --before old.prof").out == table);
    const std::string json = here.run("--before old.prof --trace new.prof --format json").out;
    CHECK(is_valid_json(json));
    CHECK(json.starts_with("{\"schema\":\"hbm-before/1\",\"before\":{\"file\":\"old.prof\",\"bytes\":62000},"
                           "\"now\":{\"file\":\"new.prof\",\"bytes\":157000},\"changes\":[{\"kind\":\"grew\","
                           "\"name\":\"buffer init (train.py:10)\",\"before_bytes\":20000,\"now_bytes\":120000,"
                           "\"before_count\":2,\"now_count\":2},"));
    CHECK(here.run("--before new.prof --trace new.prof").out ==
          "new.prof holds as much as new.prof: 153.3K, before 153.3K.\nNo name has other bytes or blocks.\n");
}

TEST_CASE("changes between programs are by array, temporaries and constants") {
    const workplace here;
    std::string larger(dump_samples::assignment_text);
    larger.replace(larger.find("size 65536"), 10, "size 98304");
    larger.replace(larger.find("93716"), 5, "126484");
    here.write("old.txt", dump_samples::assignment_text);
    here.write("new.txt", larger);
    const ending done = here.run("--before old.txt --program new.txt");
    CAPTURE(done.err);
    CHECK(done.out.starts_with("new.txt holds 32.0K more than old.txt: 121.5K, before 89.5K.\n"
                               "Largest rise: temporaries grew by 32.0K.\n"));
}

TEST_CASE("changes between messages are also those of their lists, by operation and line") {
    const workplace here;
    const auto write = [&](const char* name, const char* size, const char* line) {
        here.write(name,
                   "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. "
                   "Used 18.00G of 15.75G hbm. Exceeded hbm capacity by 2.25G.\n\n"
                   "  Largest program allocations in hbm:\n\n  1. Size: " +
                       std::string(size) +
                       "\n     Operator: op_name=\"jit(f)/dot_general\" source_file=\"a.py\" source_line=" + line +
                       "\n     Shape: bf16[8,128]{1,0:T(8,128)(2,1)}\n     Allocation type: HLO temp\n"
                       "     ==========================\n\n");
    };
    write("old.log", "1.00G", "3");
    write("new.log", "2.00G", "3");
    write("other.log", "2.00G", "7");
    const std::string grew = here.run("--message new.log --before old.log").out;
    CHECK(grew.find("  grew  +1.00G  1 to 1 block  bf16[8,128], a.py:3, ") != std::string::npos);
    const std::string moved = here.run("--message other.log --before new.log").out;
    CHECK(moved.find("  new   +2.00G   0 to 1 block  bf16[8,128], a.py:7, ") != std::string::npos);
    CHECK(moved.find("  went  -2.00G  1 to 0 blocks  bf16[8,128], a.py:3, ") != std::string::npos);
}

}  // namespace hbm::test::changes_tests
