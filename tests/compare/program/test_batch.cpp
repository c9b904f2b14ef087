// --batch: the largest batch that fits, from messages or dumps of a program at several batches.

#include <doctest/doctest.h>

#include <sstream>
#include <string>

#include "compare/program/compare_program.hpp"
#include "compare/xla/dump_samples.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::batch_tests {

namespace {

/// A message of the compiler about a program of these sizes in MiB, on a v5e.
std::string message(int used, int temporaries, int arguments) {
    const auto size = [](int mebibytes) { return std::to_string(mebibytes) + ".00M"; };
    return "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used " +
           size(used) + " of 15.75G hbm. Exceeded hbm capacity by 1.00M.\n\nTotal hbm usage >= " + size(used) +
           ":\n    reserved          0B \n    program " + size(temporaries) + " \n    arguments " + size(arguments) +
           " \n\nProgram hbm requirement " + size(temporaries) + ":\n    HLO temp " + size(temporaries) +
           " (97.4% utilization: Unpadded (" + size(temporaries) + ") Padded (" + size(temporaries) +
           "), 0.4% fragmentation (1.00M))\n";
}

void check_columns(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
}

}  // namespace

TEST_CASE("batch: the line through two messages says which batch fits, and what grows") {
    const workplace here;
    // 4000 MiB of arguments and 700 a batch; 15.75 GiB are 16128 MiB, so 17 fit: 4000 + 17 x 700 = 15900.
    here.write("24.log", message(20800, 16800, 4000));
    here.write("32.log", message(26400, 22400, 4000));
    const ending done = here.run("--batch 24=24.log 32=32.log");
    CAPTURE(done.err);
    CHECK(done.status == 0);
    CHECK(done.out.starts_with("The largest batch that fits the device of these messages (15.75G) is 17, by the\n"
                               "line through batches 24 and 32.\n"
                               "Temporaries grow by 700.00M for each more of the batch, all memory by 700.00M.\n"
                               "\n"
                               "Compile batch 17 first"));
    CHECK(done.out.find("\n  24     20.31G      3.91G        -       16.41G          -\n") != std::string::npos);
    check_columns(done.out);
    // In the order given or not, and on a device of the user's choice: 30.75 GiB are 31485 MiB, so 39 fit.
    CHECK(here.run("--batch 32=32.log 24=24.log --capacity v4")
              .out.starts_with("The largest batch that fits v4 "
                               "(30.75G) is 39, by the line through"));
    CHECK(here.run("--batch 24=24.log 32=32.log --capacity 4GiB")
              .out.starts_with("The largest batch that fits 4GiB "
                               "(4.00G) is 0") == false);
    CHECK(here.run("--batch 24=24.log 32=32.log --capacity 3GiB")
              .out.starts_with("No batch fits 3GiB (3.00G): even "
                               "without"));
}

TEST_CASE("batch: warns if memory is not monotonic, and then names a batch that was tried alone") {
    const workplace here;
    here.write("11.log", message(15000, 12000, 3000));
    here.write("12.log", message(17400, 14400, 3000));
    here.write("13.log", message(16900, 13900, 3000));
    const ending done = here.run("--batch 11=11.log 12=12.log 13=13.log");
    CHECK(done.out.starts_with("Memory is not monotonic in the batch: of these batches 11 is the largest that\nfits "));
    CHECK(done.out.find("batch 13 needs 16.50G, and the smaller\nbatch 12 needs 16.99G.") != std::string::npos);
    CHECK(done.out.find("grow by") == std::string::npos);  // not what the sentence before denies
    check_columns(done.out);
}

TEST_CASE("batch: reads dumps, and messages about temporaries alone with a note") {
    const workplace here;
    std::string larger(dump_samples::assignment_text);
    larger.replace(larger.find("size 65536"), 10, "size 98304");
    larger.replace(larger.find("93716"), 5, "126484");
    here.write("a-buffer-assignment.txt", dump_samples::assignment_text);
    here.write("b-buffer-assignment.txt", larger);
    const ending done = here.run("--batch 4=a-buffer-assignment.txt 8=b-buffer-assignment.txt --capacity 256KiB");
    CAPTURE(done.err);
    // 91,648 bytes at 4 and 8,192 for each more: 262144 is reached after 20.8 more.
    CHECK(done.out.starts_with("The largest batch that fits 256KiB (256.0K) is 24, by the line through batches 4\n"));
    here.write("8.log", "RESOURCE_EXHAUSTED: Ran out of memory on HBM, the total memory required for HLO temporaries "
                        "(20.00G) exceeds available HBM (15.75G). HLO module: jit_step.");
    here.write("4.log", "RESOURCE_EXHAUSTED: Error loading program 'jit_step': Attempting to reserve 12.00G at the "
                        "bottom of memory. That was not possible. There are 8.00G free, 0B reserved, and 8.00G "
                        "reservable.");
    const ending alone = here.run("--batch 4=4.log 8=8.log");
    CHECK(alone.out.starts_with("The largest batch that fits the device of these messages (15.75G) is 5, by the\n"));
    CHECK(alone.out.find("Note: not every text states more than temporaries") != std::string::npos);
    check_columns(alone.out);
}

TEST_CASE("batch: as JSON, with sizes in bytes") {
    const workplace here;
    here.write("24.log", message(20800, 16800, 4000));
    here.write("32.log", message(26400, 22400, 4000));
    const std::string json = here.run("--batch 24=24.log 32=32.log --format json").out;
    CHECK(is_valid_json(json));
    CHECK(json.starts_with("{\"schema\":\"hbm-batch/1\",\"capacity_bytes\":16911433728,\"batch\":17,"
                           "\"is_measured\":false,\"is_monotonic\":true,\"is_of_temporaries\":false,"
                           "\"bytes_for_each\":{\"need\":734003200,\"arguments\":0,\"outputs\":null,"
                           "\"temporaries\":734003200,\"constants\":null},\"samples\":[{\"batch\":24,"
                           "\"file\":\"24.log\",\"program\":null,\"need_bytes\":21810380800,"));
    CHECK(here.refusal("--batch 24=24.log 32=32.log --format md").find("--batch has the formats table and json") !=
          std::string::npos);
}

TEST_CASE("batch: compares messages of one device") {
    const workplace here;
    here.write("24.log", message(20800, 16800, 4000));
    std::string other = message(26400, 22400, 4000);
    other.replace(other.find("15.75G"), 6, "30.75G");
    here.write("32.log", other);
    CHECK(here.refusal("--batch 24=24.log 32=32.log")
              .find("24.log is of a device of 15.75G, 32.log of one of 30.75G: bring messages of one device, or give "
                    "--capacity") != std::string::npos);
    CHECK(here.run("--batch 24=24.log 32=32.log --capacity v5e").status == 0);
}

TEST_CASE("batch: names wrong values and texts that do not help") {
    const workplace here;
    here.write("1.log", message(20800, 16800, 4000));
    here.write("buffer.log",
               "Error allocating device buffer: Attempting to allocate 8.00M. That was not possible. There "
               "are 6.43M free.; (0x0x1_HBM0)\n");
    CHECK(here.refusal("--batch 8=1.log").find("--batch needs two or more N=FILE") != std::string::npos);
    CHECK(here.refusal("--batch 1.log 8=1.log").find("--batch: found `1.log`, expected N=FILE") != std::string::npos);
    CHECK(here.refusal("--batch 8=1.log 8=1.log").find("--batch: found batch 8 twice") != std::string::npos);
    CHECK(here.refusal("--batch 8=1.log 9=buffer.log").find("buffer.log: found no message about the memory of a") !=
          std::string::npos);
    CHECK(here.refusal("--batch 8=1.log 9=1.log --html x").find("--batch cannot be combined with --html") !=
          std::string::npos);
}

}  // namespace hbm::test::batch_tests
