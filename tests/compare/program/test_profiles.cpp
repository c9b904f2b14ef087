#include <doctest/doctest.h>

#include <string>

#include "compare/program/compare_program.hpp"
#include "compare/read/pickle_sample.hpp"
#include "compare/read/pprof_sample.hpp"

namespace hbm::test::profiles_tests {

namespace {

TEST_CASE("profiles and snapshots are traces") {
    const workplace here;
    here.write("memory.prof", sample::small_profile());
    here.write("snapshot.pickle", sample::small_snapshot());
    const std::string common = " --manager best_fit --quantum 1 --rounds 0 --format json";
    ending done = here.run("--trace memory.prof" + common);
    CHECK(done.status == 0);
    CHECK(done.out.find(R"("peak_live_bytes":4073,)") != std::string::npos);  // an array without elements takes a byte
    CHECK(done.err.find("hbm_compare: warning: memory.prof: the profile has 2 devices") != std::string::npos);
    CHECK(done.err.find("hbm_compare: warning: memory.prof: 9 executables whose size") != std::string::npos);
    done = here.run("--trace memory.prof --device TPU_1" + common);
    CHECK(done.out.find(R"("peak_live_bytes":5096,)") != std::string::npos);
    done = here.run("--trace memory.prof --device TPU_7" + common);
    CHECK(done.status == 2);
    CHECK(done.err.find("memory.prof: found no device `TPU_7`, expected one of the devices") != std::string::npos);
    done = here.run("--trace snapshot.pickle" + common);
    CHECK(done.status == 0);
    CHECK(done.out.find(R"("peak_live_bytes":4000,)") != std::string::npos);
    CHECK(done.err.empty());
    // The tables point at what the person with such a file asks first.
    for (const std::string file : {"memory.prof", "snapshot.pickle"}) {
        const std::string pointer =
            "Who holds what, and what did when most was in use: `hbm_compare --growth --trace " + file + "`.";
        CHECK(here.run("--trace " + file + " --manager best_fit --rounds 0").out.find(pointer) != std::string::npos);
        CHECK(here.run(file).err.find("`hbm_compare --growth --trace " + file + "` lists who holds what") !=
              std::string::npos);
    }
    here.write("plain.csv", "op,id,bytes\nalloc,a,5\n");
    CHECK(here.run("--trace plain.csv --manager best_fit --rounds 0").out.find("Who holds") == std::string::npos);
    here.write("evil.pickle", "\x80\x04"
                              "cos\nsystem\n(\x8c\x02lstR.");
    done = here.run("--trace evil.pickle" + common);
    CHECK(done.status == 2);
    CHECK(done.err.find("an object that is more than plain data (opcode 0x63) at byte 2") != std::string::npos);
}

TEST_CASE("--layout writes what lies where in a snapshot, as a trace that can be replayed") {
    const workplace here;
    here.write("snapshot.pickle", sample::small_snapshot());
    CHECK(here.run("--layout snapshot.pickle").out.find("op,id,bytes,tag,offset\nimport,block1,1024,") == 0);
    ending done = here.run("--layout snapshot.pickle -o layout.csv");
    CHECK(done.status == 0);
    CHECK(done.err.find(
              "the segments have 5.0K together, the capacity that this layout had: pass it as --capacity 5120") !=
          std::string::npos);
    here.write("more.csv", here.read("layout.csv") + "alloc,wanted,1024\n");
    const std::string common = " --capacity 5120 --rounds 0 --format json --manager ";
    CHECK(here.run("--trace more.csv" + common + "best_fit").out.find(R"("completed":true)") != std::string::npos);
    CHECK(here.run("--trace more.csv --capacity 4608 --rounds 0 --format json --manager best_fit")
              .out.find(R"("completed":false,"failed_event":2)") != std::string::npos);
    CHECK(here.run("--trace more.csv --capacity min --rounds 0 --format json --manager best_fit")
              .out.find(R"("min_capacity_bytes":5120)") != std::string::npos);
    CHECK(here.run("--layout snapshot.pickle -o snapshot.pickle").status == 2);
    CHECK(here.read("snapshot.pickle") == sample::small_snapshot());
    here.write("memory.prof", sample::small_profile());
    done = here.run("--layout memory.prof");
    CHECK(done.status == 2);
    CHECK(done.err.find("expected a memory snapshot of PyTorch: no other file says where buffers lie") !=
          std::string::npos);
}

}  // namespace

}  // namespace hbm::test::profiles_tests
