// Inputs without an end, and sizes that no memory has, are refused where they are wrong.
#include <doctest/doctest.h>

#include <string>

#include "compare/program/compare_program.hpp"

namespace hbm::test::endless_tests {

TEST_CASE("a device that gives zeros is refused at its first byte, by all that reads") {
    const workplace here;
    for (const char* const how : {"--trace /dev/zero", "--growth --trace /dev/zero", "--program /dev/zero",
                                  "--describe /dev/zero", "--trace t.csv --check /dev/zero", "merge /dev/zero"}) {
        CAPTURE(how);
        here.write("t.csv", "op,id,bytes\nalloc,a,1\n");
        const ending ended = here.run(how, "ulimit -v 4000000; timeout 20");
        CHECK(ended.status == 2);
        CHECK(ended.err.find("/dev/zero:1:1: found a byte of zero, expected ") != std::string::npos);
    }
    CHECK(here.run("--message /dev/zero", "timeout 20").status == 2);
}

TEST_CASE("a pipe of text is read to its end, and its zeros are told by their place") {
    const workplace here;
    const ending whole =
        here.shell("printf 'op,id,bytes\\nalloc,a,5000\\n' | $COMPARE --trace /dev/stdin --rounds 0 --manager best_fit "
                   ">stdout 2>stderr");
    CHECK(whole.status == 0);
    const ending zero =
        here.shell("printf 'op,id,bytes\\nalloc,a,5\\0\\n' | $COMPARE --trace /dev/stdin >stdout 2>stderr");
    CHECK(zero.status == 2);
    CHECK(zero.err.find("/dev/stdin:2:10: found a byte of zero, expected text") != std::string::npos);
}

TEST_CASE("a small file that unpacks to a thousand times its size is refused, in little memory") {
    const workplace here;
    // 320 MiB of zeros: deflate packs at most 1,032 to 1, so that the file has more than 325,000 bytes, of which 256
    // times are more than 79 MiB.
    REQUIRE(here.shell("head -c 335544320 /dev/zero | gzip -9 > bomb.gz").status == 0);
    for (const char* const how : {"--growth --trace bomb.gz", "--trace bomb.gz --rounds 0", "--describe bomb.gz",
                                  "--message bomb.gz", "--program bomb.gz"}) {
        CAPTURE(how);
        const ending ended = here.run(how, "ulimit -v 262144; timeout 20");
        if (ended.err.find("built without zlib") != std::string::npos) return;
        CHECK(ended.status == 2);
        CHECK(ended.err.find("gzip data") != std::string::npos);
        CHECK(ended.err.find("more than ") != std::string::npos);
    }
}

TEST_CASE("sizes near 2^64 are refused at their cell, with what to look for") {
    const workplace here;
    const std::string more =
        ", with which more than 4.00P are in memory at once, expected sizes in bytes of a device that "
        "there is: look for a wrong unit, a negative number, or rows `free` that are missing\n";
    const auto error_of = [&](const std::string& text) {
        here.write("t.csv", text);
        return here.refusal("--rounds 0 --trace t.csv");
    };
    CHECK(error_of("op,id,bytes\nalloc,a,5000\nalloc,b,18446744073709551615\n") ==
          "hbm_compare: t.csv:3:9: found `18446744073709551615`" + more);
    CHECK(error_of("op,id,bytes\nalloc,a,2251799813685248\n# x\nalloc,b,2251799813685249\n") ==
          "hbm_compare: t.csv:4:9: found `2251799813685249`" + more);
    CHECK(error_of("op,id,bytes,outputs\nload,p,1,\nrun,p,,b:7 a:18446744073709551615\n") ==
          "hbm_compare: t.csv:3:14: found `18446744073709551615`" + more);
    CHECK(error_of("id,lower,upper,size\n1,0,5,9000000000000000000\n2,1,4,9\n") ==
          "hbm_compare: t.csv:2:7: found `9000000000000000000`" + more);
    here.write("t.csv", "op,id,bytes\nalloc,a,2251799813685248\nalloc,b,2251799813685248\n");
    CHECK(here.run("--rounds 0 --trace t.csv --manager best_fit").status == 0);
}

}  // namespace hbm::test::endless_tests
