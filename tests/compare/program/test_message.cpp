#include <doctest/doctest.h>

#include <string>

#include "compare/program/compare_program.hpp"

namespace hbm::test::message_tests {

namespace {

const std::string log_text = "step 17\nValueError: RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to "
                             "allocate 96.00M. That was not "
                             "possible. There are 41.50M free.; (1x2x0_HBM1)\nbye\n";

TEST_CASE("--message answers the message in a log") {
    const workplace here;
    here.write("train.log", log_text);
    const ending done = here.run("--message train.log");
    CHECK(done.status == 0);
    CHECK(done.err.empty());
    CHECK(done.out.starts_with("The device is full: 96.00M were asked for, 41.50M are free, so 54.50M are missing.\n"
                               "(line 2, device 1x2x0_HBM1)\n"));
    CHECK(here.run("--message - < train.log").out == done.out);
    CHECK(here.run("--message=train.log -o answer.txt").status == 0);
    CHECK(here.read("answer.txt") == done.out);
    CHECK(here.run("--message train.log -o train.log").status == 2);
    CHECK(here.read("train.log") == log_text);
}

TEST_CASE("--message with what was measured before, and with the program beside it") {
    const workplace here;
    here.write("train.log", log_text);
    here.write("before.txt", "{'bytes_in_use': 1048576, 'bytes_limit': 16911433728}\n");
    here.write("m.txt", "HloModule jit_step, entry_computation_layout={(f32[1024,1024]{1,0})->f32[1024,1024]{1,0}}\n");
    CHECK(here.run("--message train.log --before before.txt").out.find("free: 15.75G then, 41.50M now, 15.71G less") !=
          std::string::npos);
    CHECK(here.run("--message train.log --describe m.txt").out.find("1 more argument could be donated") !=
          std::string::npos);
    CHECK(here.run("--message train.log --describe train.log").status == 2);
    CHECK(here.run("--message train.log --before missing.txt").status == 2);
    CHECK(here.run("--before before.txt").err.find("--before: found no --message") != std::string::npos);
}

TEST_CASE("options that --message would ignore are refused") {
    const workplace here;
    here.write("train.log", log_text);
    for (const std::string other :
         {"--format json", "--trace x.csv", "--growth", "--capacity v5e", "--on-oom why.txt"}) {
        const ending done = here.run("--message train.log " + other);
        CHECK(done.status == 2);
        CHECK(done.err.find("--message: found " + other.substr(0, other.find(' ')) + " beside it") !=
              std::string::npos);
    }
    CHECK(here.run("--message train.log --message train.log").err.find("found it twice") != std::string::npos);
}

TEST_CASE("--message says what is wrong with a file") {
    const workplace here;
    here.write("quiet.log", "all went well\n");
    here.write("wrong.log", "x\nAttempting to allocate 99999999999999999999.00G. That was not possible.\n");
    here.write("measured.log", "{'bytes_in_use': 1048576, 'bytes_limit': 16911433728}\n");
    here.write("damaged.gz", "\x1f\x8b\x08");
    here.write("shell.log", std::string_view("\xff\xfe"
                                             "E\0r\0",
                                             6));
    const auto refused = [&](const std::string& file) { return here.refusal("--message " + file); };
    CHECK(refused("quiet.log").find("quiet.log: found no message about the device's memory in 14 bytes") !=
          std::string::npos);
    CHECK(refused("wrong.log").find("wrong.log:2:24: found `99999999999999999999.00G`") != std::string::npos);
    CHECK(refused("measured.log").find("measurements are for --before") != std::string::npos);
    CHECK(refused("missing.log").find("cannot be read") != std::string::npos);
    CHECK(refused(".") ==
          "hbm_compare: .: found a folder, expected the path of a file with the message, such as ./LOG, or "
          "- for stdin\n");
    CHECK(refused("damaged.gz").find("gzip") != std::string::npos);
    CHECK(refused("shell.log").find("found text in UTF-16") != std::string::npos);
    // A program where a message should be.
    here.write("module.txt", "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}\n");
    CHECK(refused("module.txt").find("module.txt holds a program of an XLA dump: `hbm_compare --program module.txt`") !=
          std::string::npos);
    CHECK(refused("''").find("--message: found nothing") != std::string::npos);
    CHECK(here.run("--message missing.log --wide")
              .err.starts_with("hbm_compare: warning: --wide has no effect beside --message: "));
    CHECK(here.run("--help").out.find("--message FILE|-") != std::string::npos);
}

}  // namespace

}  // namespace hbm::test::message_tests
