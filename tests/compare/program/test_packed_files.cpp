// Files that are packed with gzip, on the command line.

#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "compare/program/compare_program.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::packed_files_tests {

TEST_CASE("what is packed with gzip is unpacked, and what is damaged is named") {
    const workplace here;
    here.write("a.txt", dump_samples::module_text);
    here.write("damaged.gz", "\x1f\x8b\x08");
    REQUIRE(here.shell("gzip -k a.txt").status == 0);
    const ending packed = here.run("--describe a.txt.gz");
    if (packed.err.find("built without zlib") != std::string::npos) return;
    CHECK(packed.status == 0);
    CHECK(packed.out.size() == here.run("--describe a.txt").out.size() + 3);
    for (const char* const how : {"--describe damaged.gz", "--message damaged.gz"})
        CHECK(here.refusal(how).find("gzip") != std::string::npos);
}

TEST_CASE("a trace through a pipe gives the answers of a file, also those that read it again") {
    const workplace here;
    std::string rows = "op,id,bytes\n";
    for (int row = 0; row < 40; ++row) rows += "alloc,b" + std::to_string(row) + ",4096\n";
    here.write("file.trace", rows);  // as long as /dev/stdin, so that lines are as long
    const ending file = here.run("--growth --trace file.trace");
    ending piped = here.run("--growth --trace -", "cat file.trace |");
    CHECK(file.status == 0);
    CHECK(piped.status == 0);
    constexpr std::string_view stdin_name = "/dev/stdin";
    const std::size_t at = piped.out.find(stdin_name);
    REQUIRE(at != std::string::npos);
    CHECK(piped.out.replace(at, stdin_name.size(), "file.trace") == file.out);
}

TEST_CASE("a small file that unpacks to a thousand times its size is refused, in little memory") {
    const workplace here;
    // 320 MiB of zeros: deflate packs at most 1,032 to 1, so that the file has more than 325,000 bytes, of which 256
    // times are more than 79 MiB.
    REQUIRE(here.shell("head -c 335544320 /dev/zero | gzip -9 > bomb.gz").status == 0);
    for (const char* const how : {"--growth --trace bomb.gz", "--trace bomb.gz", "--describe bomb.gz",
                                  "--message bomb.gz", "--program bomb.gz"}) {
        CAPTURE(how);
        const ending ended = here.run(how, "ulimit -v 262144; timeout 20");
        if (ended.err.find("built without zlib") != std::string::npos) return;
        CHECK(ended.status == 2);
        CHECK(ended.err.find("gzip data") != std::string::npos);
        CHECK(ended.err.find("more than ") != std::string::npos);
    }
}

}  // namespace hbm::test::packed_files_tests
