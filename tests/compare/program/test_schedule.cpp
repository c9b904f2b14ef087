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

TEST_CASE("schedule: the event at which the plan ends is named on stderr") {
    const workplace here;
    here.write("first.csv", recorded);
    here.write("next.csv", changed);
    here.write("longer.csv", std::string(recorded) + "alloc,e,512\n");
    const std::string job = "--schedule first.csv --rounds 0 --manager best_fit --trace ";
    CHECK(
        has(here.run(job + "next.csv").err,
            "warning: the plan of --schedule ends at event 5 of next.csv (line 7): 3.5K requested, 3.0K planned. From "
            "there on scheduled<best_fit> places like its base.\n"));
    CHECK(has(
        here.run(job + "longer.csv").err,
        "warning: the plan of --schedule ends before event 6 of longer.csv (line 8), after all of its 4 requests."));
    CHECK(here.run(job + "first.csv").err.empty());
    here.write("planned.csv", "op,id,bytes\nalloc,a,1024\nfree,a,\nalloc,b,1024\n");
    here.write("kept.csv", "op,id,bytes\nalloc,a,1024\nalloc,b,1024\n");
    CHECK(has(here.run("--schedule planned.csv --rounds 0 --manager best_fit --trace kept.csv").err,
              "ends at event 1 of kept.csv (line 3): in its place is a buffer that the plan has freed by then."));
}

TEST_CASE("schedule: what it cannot follow is an error with the remedy") {
    const workplace here;
    here.write("first.csv", recorded);
    here.write("programs.csv", "op,id,bytes\nload,p,2048\n");
    CHECK(has(here.refusal("--schedule missing.csv --trace first.csv"), "cannot open missing.csv"));
    CHECK(has(here.refusal("--schedule programs.csv --trace first.csv"), "expected a recording of buffers alone"));
    CHECK(has(here.refusal("--schedule first.csv --trace first.csv --quantum 512,1024"), "expected one"));
    CHECK(
        has(here.refusal("--schedule first.csv --trace first.csv --shard 1/2"), "cannot be combined with --schedule"));
}

}  // namespace hbm::test::schedule_tests
