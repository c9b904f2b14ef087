// What --on-oom writes about managers that failed.

#include <string>
#include <utility>

#include "compare_program.hpp"

namespace hbm::test::on_oom_tests {

namespace {

// Two quanta each, the middle one goes, and three in one piece are asked for of four that are free.
constexpr const char* gap = "op,id,bytes,tag\n"
                            "alloc,a,1024,weights\n"
                            "alloc,b,1024,\n"
                            "alloc,c,1024,cache\n"
                            "free,b,,\n"
                            "alloc,d,1536,new\n";

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string explain(const workplace& here, const char* trace, const std::string& arguments,
                    const std::string& file = "oom.txt") {
    here.write("t.csv", trace);
    const ending ended = here.run("--trace t.csv --rounds 0 -q --on-oom " + file + " " + arguments);
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    return here.read(file);
}

}  // namespace

TEST_CASE("as JSON, if the name says so; and more quanta than 32 bits count") {
    const workplace here;
    const std::string json = explain(here, gap, "--manager 'b*_fit' --manager buddy --capacity 4096", "oom.json");
    CHECK(json.starts_with(
        "{\"schema\":\"hbm-oom/1\",\"failures\":[\n{\"workload\":\"t.csv\",\"managers\":[\"best_fit\"],"
        "\"failed_event\":4,\"workload_needs_bytes\":"));
    CHECK(contains(json, ",\"explanation\":{\"schema\":\"hbm-explanation/1\",\"message\":"));
    CHECK(contains(json, "\n{\"workload\":\"t.csv\",\"managers\":[\"buddy\"],"));
    CHECK(json.ends_with("}\n]}\n"));
    CHECK(contains(explain(here, "op,id,bytes\nalloc,a,4398046511104\nalloc,b,4398046511104\n",
                           "--manager best_fit --capacity 6TiB --quantum 64"),
                   "  1. Request at most 2.00T (2199023255552 bytes)\n"));
}

TEST_CASE("where nobody fails it says so, and a result in the same place is refused") {
    const workplace here;
    CHECK(explain(here, gap, "--manager best_fit") == "No manager ran out of memory.\n");
    CHECK(explain(here, gap, "--manager best_fit", "none.json") == "{\"schema\":\"hbm-oom/1\",\"failures\":[\n]}\n");
    CHECK(here.run("--trace t.csv --rounds 0 -o same --on-oom ./same").status == 2);
    CHECK(!here.has("same"));
    for (const auto& entry : std::filesystem::directory_iterator(here.at("")))
        CHECK(entry.path().extension() != ".part");
}

}  // namespace hbm::test::on_oom_tests
