// Sizes that no memory has are refused where they are.
#include <doctest/doctest.h>

#include <string>

#include "compare/program/compare_program.hpp"

namespace hbm::test::too_large_tests {

TEST_CASE("sizes near 2^64 are refused at their cell, with what to look for") {
    const workplace here;
    const std::string more =
        ", with which more than 4.00P are in memory at once, expected sizes in bytes of a device that "
        "there is: look for a wrong unit, a negative number, or rows `free` that are missing\n";
    const auto error_of = [&](const std::string& text) {
        here.write("t.csv", text);
        const ending ended = here.run("--rounds 0 --trace t.csv");
        CHECK(ended.status == 2);
        CHECK(ended.out.empty());
        return ended.err;
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

}  // namespace hbm::test::too_large_tests
