// Figures that were worked out by hand, asked for as a user does.

#include <sstream>
#include <string>
#include <vector>

#include "compare_program.hpp"

namespace hbm::test::figures_tests {

namespace {

// Best fit: a [0,2), b [2,3), c [0,1), d [3,5) quanta. Buddy: c goes into the free quantum at 3, d to [0,2).
constexpr const char* reuse = "op,id,bytes\nalloc,a,1024\nalloc,b,1\nfree,a,\nalloc,c,512\nalloc,d,513\n";

// Ten quanta are full when c comes; the run then needs the program back, and a place for its output.
constexpr const char* programs = "op,id,bytes,donated,outputs,reload_us\n"
                                 "load,p,2048,,,7\n"
                                 "alloc,a,1536\n"
                                 "alloc,b,1536\n"
                                 "alloc,c,1024\n"
                                 "free,a\n"
                                 "run,p,,b,o:1536\n";

std::string json(const workplace& here, const char* trace, const std::string& arguments) {
    here.write("t.csv", trace);
    const ending ended = here.run("--trace t.csv --rounds 0 --format json " + arguments);
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    return ended.out;
}

}  // namespace

TEST_CASE("the JSON of one manager, to the byte") {
    const workplace here;
    CHECK(json(here, reuse, "--capacity unlimited --manager best_fit") ==
          "{\"schema\":\"hbm-compare/1\",\"rows\":[\n"
          "{\"workload\":\"t.csv\",\"manager\":\"best_fit\",\"capacity_bytes\":null,\"quantum_bytes\":512,\"events\":5,"
          "\"completed\":true,"
          "\"failed_event\":null,\"error\":null,\"peak_live_bytes\":2048,\"footprint_bytes\":2560,\"overhead_ratio\":1."
          "250000,"
          "\"min_capacity_bytes\":null,\"min_search\":null,\"min_larger_fails_bytes\":null,\"fragmentation_mean\":null,"
          "\"fragmentation_worst\":null,"
          "\"oom_with_enough_free\":0,\"relieved\":0,\"evictions\":0,\"evicted_bytes\":0,\"reloads\":0,\"reload_us\":0,"
          "\"moves\":0,"
          "\"moved_bytes\":0,\"move_us\":0,\"donations_offered\":0,\"donations_taken\":0,\"donated_bytes\":0,"
          "\"placement_digest\":\"b3152be8332254ef\",\"ns_per_event\":null,"
          "\"offline_bytes\":null,\"offline_bound_bytes\":null,\"fate_bytes\":null,\"not_knowing_bytes\":null}\n"
          "]}\n");
    const std::string buddy = json(here, reuse, "--capacity unlimited --manager buddy");
    CHECK(value_of(buddy, "buddy", "footprint_bytes") == "2048");
    CHECK(value_of(buddy, "buddy", "placement_digest") == "\"6c3aa92deee7a7af\"");
}

TEST_CASE("the packing with everything known beforehand, where it is asked for") {
    const workplace here;
    const std::string packed = json(here, reuse, "--capacity unlimited --manager best_fit --offline");
    CHECK(value_of(packed, "best_fit", "offline_bytes") == "2048");
    CHECK(value_of(packed, "best_fit", "offline_bound_bytes") == "2048");
    CHECK(value_of(packed, "best_fit", "fate_bytes") == "0");
    CHECK(value_of(packed, "best_fit", "not_knowing_bytes") == "512");
    // Where nobody asked for it the table packs with less effort, and says where that leaves a gap.
    const std::string gap_left = "--workload uniform_churn:live=60,operations=900 --rounds 0 --manager best_fit ";
    CHECK(count_of(here.run(gap_left, "COLUMNS=300").out, "for less is not ruled out (--offline tries longer)") == 1);
    // What is in memory depends on who is evicted.
    const std::string unknown = json(here, programs, "--capacity 8192 --manager best_fit --offline");
    CHECK(value_of(unknown, "best_fit", "offline_bytes") == "null");
}

TEST_CASE("without programs and without a capacity the figures are those at the minimum, with the footprint beside") {
    const workplace here;
    // Four quanta: best fit puts c behind b, the smallest hole, and d where a was. Of five rows, one leaves two holes.
    const std::string found = json(here, reuse, "--manager best_fit --manager 'bottom_reserve<best_fit>'");
    const auto best = [&](const char* key) { return value_of(found, "best_fit", key); };
    CHECK(best("capacity_bytes") == "2048");
    CHECK(best("min_capacity_bytes") == "2048");
    CHECK(best("min_search") == "\"exhaustive\"");
    CHECK(best("footprint_bytes") == "2560");
    CHECK(best("overhead_ratio") == "1.250000");
    CHECK(best("fragmentation_mean") == "0.066667");
    CHECK(best("fragmentation_worst") == "0.333333");
    CHECK(best("placement_digest") == "\"6c3aa92deee7a7af\"");
    CHECK(value_of(found, "bottom_reserve<best_fit>", "footprint_bytes") == "null");
    // From the top c does not take the hole next to the bottom while another fits, so d goes below it.
    CHECK(value_of(found, "bottom_reserve<best_fit>", "min_capacity_bytes") == "2560");
}

TEST_CASE(
    "what every manager needs by default is what it needs when asked, and its footprint that of unlimited memory") {
    const workplace here;
    const std::string job = "--workload uniform_churn:live=60,operations=600 --rounds 0 --format csv --manager '*' ";
    const auto rows = [&](const std::string& capacity) {
        std::vector<std::vector<std::string>> made;
        std::istringstream lines(here.run(job + capacity).out);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream cells(line);
            for (made.emplace_back(); std::getline(cells, line, ',');) made.back().push_back(line);
        }
        return made;
    };
    const auto usual = rows("");
    const auto least = rows("--capacity min");
    const auto unlimited = rows("--capacity unlimited");
    REQUIRE(usual.size() > 200);
    REQUIRE(usual.size() == least.size());
    REQUIRE(usual.size() == unlimited.size());
    constexpr std::size_t manager = 2;  // the workload's name has a comma, which CSV quotes
    constexpr std::size_t footprint = 10;
    constexpr std::size_t ratio = 11;
    constexpr std::size_t min_capacity = 12;
    std::size_t with_footprint = 0;
    for (std::size_t at = 1; at < usual.size(); ++at) {
        CAPTURE(usual[at][manager]);
        CHECK(!usual[at][min_capacity].empty());
        CHECK(usual[at][footprint] == unlimited[at][footprint]);
        CHECK(usual[at][ratio] == unlimited[at][ratio]);
        with_footprint += usual[at][footprint].empty() ? 0U : 1U;
        // Where the footprint bounded the search, it may have found another minimum.
        if (!usual[at][footprint].empty()) continue;
        CHECK(usual[at] == least[at]);
    }
    CHECK(with_footprint > 100);
    CHECK(with_footprint < usual.size() - 1);
}

TEST_CASE("the same as CSV: the keys as a header, null as an empty cell") {
    const workplace here;
    here.write("a,\"b\".csv", reuse);
    const ending ended =
        here.run("--trace 'a,\"b\".csv' --rounds 0 --capacity unlimited --format csv --manager best_fit");
    CHECK(ended.out == "workload,manager,capacity_bytes,quantum_bytes,events,completed,failed_event,error,peak_live_"
                       "bytes,footprint_bytes,overhead_ratio,"
                       "min_capacity_bytes,min_search,min_larger_fails_bytes,fragmentation_mean,fragmentation_worst,"
                       "oom_with_enough_free,"
                       "relieved,evictions,evicted_bytes,reloads,"
                       "reload_us,moves,moved_bytes,move_us,donations_offered,donations_taken,donated_bytes,placement_"
                       "digest,ns_per_event,offline_bytes,offline_bound_bytes,fate_bytes,not_knowing_bytes\n"
                       "\"a,\"\"b\"\".csv\",best_fit,,512,5,true,,,2048,2560,1.250000,,,,,,0,0,0,0,0,0,0,0,0,0,0,0,"
                       "b3152be8332254ef,,,,,\n");
}

TEST_CASE("names that are no JSON are escaped") {
    const workplace here;
    here.write("q\"\\\n\xff\xc3\xa9.csv", reuse);
    const ending ended =
        here.run("--trace \"$(printf 'q\"\\\\\\n\\377\\303\\251.csv')\" --rounds 0 --format json --manager best_fit");
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    CHECK(count_of(ended.out, "\"workload\":\"q\\\"\\\\\\u000a\xef\xbf\xbd\xc3\xa9.csv\"") == 1);
}

TEST_CASE("the minimum capacity, bisected where there are too many to try") {
    const workplace here;
    const std::string found =
        json(here, "op,id,bytes\nalloc,a,200000000\nalloc,b,200000000\nalloc,c,200000000\nfree,b,\nalloc,d,500000000\n",
             "--capacity min --quantum 1 --manager best_fit");
    CHECK(value_of(found, "best_fit", "min_capacity_bytes") == "1100000000");
    CHECK(value_of(found, "best_fit", "min_search") == "\"bisection\"");
}

TEST_CASE("beyond 32-bit quanta the figures are those of wider ones") {
    const workplace here;
    here.write(
        "t.csv",
        "op,id,bytes\nalloc,a,2000000000\nalloc,b,2000000000\nalloc,c,2000000000\nfree,b,\nalloc,d,5000000000\n");
    const ending ended = here.run(
        "--trace t.csv --quantum 1 --rounds 0 --format json --manager '*best_fit' --manager 'compacting<best_fit>'");
    CHECK(ended.err ==
          "hbm_compare: warning: t.csv: more than 2^32 - 1 quanta, so 64-bit quanta are used; they take longer\n");
    CHECK(value_of(ended.out, "best_fit", "footprint_bytes") == "11000000000");
    CHECK(value_of(ended.out, "best_fit", "placement_digest") == "\"4f924be8ef49bcba\"");
    const ending full = here.run(
        "--trace t.csv --quantum 1 --rounds 0 --format json --capacity 9000000000 --manager 'compacting<best_fit>'");
    CHECK(value_of(full.out, "compacting<best_fit>", "completed") == "true");
    CHECK(value_of(full.out, "compacting<best_fit>", "moves") == "1");
    CHECK(value_of(full.out, "compacting<best_fit>", "moved_bytes") == "2000000000");
}

TEST_CASE("hostile capacities and sizes have results") {
    const workplace here;
    const std::string none = json(here, reuse, "--capacity 0 --manager best_fit");
    CHECK(value_of(none, "best_fit", "capacity_bytes") == "0");
    CHECK(value_of(none, "best_fit", "failed_event") == "0");
    const std::string less = json(here, reuse, "--capacity 0 --manager best_fit --manager buddy");
    CHECK(value_of(less, "best_fit", "capacity_bytes") == "0");
    CHECK(value_of(less, "buddy", "completed") == "false");
    const std::string rest = json(here, reuse, "--capacity 1023 --manager best_fit --manager buddy");
    CHECK(value_of(rest, "best_fit", "capacity_bytes") == "512");
    CHECK(value_of(rest, "buddy", "completed") == "false");
    const std::string most = json(here, reuse, "--capacity 18446744073709551615 --manager best_fit --manager buddy");
    CHECK(value_of(most, "best_fit", "capacity_bytes") == "18446744073709551104");
    CHECK(value_of(most, "best_fit", "completed") == "true");
    CHECK(value_of(most, "buddy", "completed") == "true");
    constexpr const char* huge =
        "op,id,bytes\nalloc,a,4503599627370496\n";  // 4 PiB; test_endless.cpp has what is above
    CHECK(value_of(json(here, huge, "--capacity min --manager best_fit"), "best_fit", "min_capacity_bytes") ==
          "4503599627370496");
    CHECK(value_of(json(here, huge, "--capacity 16G --manager best_fit"), "best_fit", "failed_event") == "0");
    const std::string empty = json(here, "op,id,bytes\n", "--capacity unlimited --manager best_fit");
    CHECK(value_of(empty, "best_fit", "events") == "0");
    CHECK(value_of(empty, "best_fit", "completed") == "true");
    CHECK(value_of(empty, "best_fit", "overhead_ratio") == "null");
}

}  // namespace hbm::test::figures_tests
