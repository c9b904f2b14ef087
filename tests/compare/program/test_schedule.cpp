// --schedule: a manager that follows the plan of an earlier run, as a user calls it.

#include <doctest/doctest.h>

#include <string>

#include "compare/program/compare_program.hpp"

namespace hbm::test::schedule_tests {

namespace {

// Best fit needs 8 quanta for the last block, a plan 7.
constexpr const char* recorded = "op,id,bytes\nalloc,a,1024\nalloc,b,1\nalloc,c,1536\nfree,a,\nfree,c,\nalloc,d,3072\n";
// The last request is another.
constexpr const char* changed = "op,id,bytes\nalloc,a,1024\nalloc,b,1\nalloc,c,1536\nfree,a,\nfree,c,\nalloc,d,3584\n";

std::string rows(const workplace& here, const char* trace, const std::string& arguments) {
    here.write("first.csv", recorded);
    here.write("next.csv", trace);
    const ending ended = here.run("--schedule first.csv --trace next.csv --rounds 0 --format csv " + arguments);
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    return ended.out;
}

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("schedule: a run like the recorded one needs the height of the plan") {
    const workplace here;
    const std::string text = rows(here, recorded, "--manager best_fit --capacity unlimited");
    CHECK(has(text, "next.csv,best_fit,,512,"));
    CHECK(has(text, "next.csv,scheduled<best_fit>,,512,"));
    CHECK(has(text, ",3584,4608,"));  // best fit: peak and footprint
    CHECK(has(text, ",3584,3584,1.000000,"));
}

TEST_CASE("schedule: variants, which no plan is for, are replayed only if they are requested") {
    const workplace here;
    CHECK(has(rows(here, recorded, "--manager best_fit"), ",,,,\n"));
    CHECK(has(rows(here, recorded, "--manager best_fit --variants 3"), ",4\n"));
}

TEST_CASE("schedule: a run that departs is placed as by best fit from there on") {
    const workplace here;
    const std::string text = rows(here, changed, "--manager best_fit --capacity unlimited");
    CHECK(has(text, "scheduled<best_fit>"));
    CHECK(has(text, ",true,"));
}

}  // namespace hbm::test::schedule_tests
