// --batch: the largest batch that fits, from messages or dumps of a program at several batches.

#include <doctest/doctest.h>

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

}  // namespace

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
}

TEST_CASE("batch: as JSON, with sizes in bytes") {
    const workplace here;
    here.write("24.log", message(20800, 16800, 4000));
    here.write("32.log", message(26400, 22400, 4000));
    // 4000 MiB of arguments and 700 a batch; 15.75 GiB are 16128 MiB, so 17 fit: 4000 + 17 x 700 = 15900.
    const std::string json = here.run("--batch 24=24.log 32=32.log --format json").out;
    CHECK(is_valid_json(json));
    CHECK(json.starts_with("{\"schema\":\"hbm-batch/1\",\"capacity_bytes\":16911433728,\"batch\":17,"
                           "\"is_measured\":false,\"is_monotonic\":true,\"is_of_temporaries\":false,"
                           "\"bytes_for_each\":{\"need\":734003200,\"arguments\":0,\"outputs\":null,"
                           "\"temporaries\":734003200,\"constants\":null},\"samples\":[{\"batch\":24,"
                           "\"file\":\"24.log\",\"program\":null,\"need_bytes\":21810380800,"));
    // In the order given or not, and on a device of the user's choice: 30.75 GiB are 31485 MiB, so 39 fit.
    CHECK(here.run("--batch 32=32.log 24=24.log --capacity v4 --format json").out.find(",\"batch\":39,") !=
          std::string::npos);
}

}  // namespace hbm::test::batch_tests
