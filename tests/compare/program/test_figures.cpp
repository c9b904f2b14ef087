// Figures that were worked out by hand, asked for as a user does.

#include <doctest/doctest.h>

#include <cstdint>
#include <sstream>
#include <string>
#include <vector>

#include "compare/program/compare_program.hpp"
#include "compare/tables/offline_report.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::figures_tests {

namespace {

// Best fit: a [0,2), b [2,3), c [0,1), d [3,5) quanta. Buddy: c goes into the free quantum at 3, d to [0,2).
constexpr const char* reuse = "op,id,bytes\nalloc,a,1024\nalloc,b,1\nfree,a,\nalloc,c,512\nalloc,d,513\n";

std::string json(const workplace& here, const char* trace, const std::string& arguments) {
    here.write("t.csv", trace);
    const ending ended = here.run("--trace t.csv --rounds 0 --format json " + arguments);
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    return ended.out;
}

}  // namespace

TEST_CASE("--check: names figures of another trace, in place of rows that are missing") {
    const workplace here;
    const std::string trace = "op,id,bytes\nalloc,a,100\n";
    here.write("one.csv", trace);
    here.write("other.csv", trace);
    const std::string job = " --rounds 0 -q --manager best_fit ";
    CHECK(here.run("--trace one.csv --save one.json" + job).status == 0);
    CHECK(here.run("--trace one.csv --check one.json" + job).status == 0);
    const ending other = here.run("--trace other.csv --check one.json" + job);
    CHECK(other.status != 0);
    CHECK(other.err.find("one.json: found figures made with workload one.csv, expected figures made with workload "
                         "other.csv as those of this run") != std::string::npos);
}

TEST_CASE("--recommend: does not deny simpler managers that were compared and fail") {
    const workplace here;
    // Two of three quanta are free, not in one piece.
    here.write("t.csv", "op,id,bytes\nalloc,a,512\nalloc,b,512\nalloc,c,512\nfree,a,\nfree,c,\nalloc,e,1024\n");
    const std::string text = here.run("--trace t.csv --rounds 0 --capacity 1536 --recommend --manager "
                                      "'compacting<best_fit>' --manager best_fit")
                                 .out;
    CHECK(text.find("\nNo simpler manager of those compared completes as much.\n") != std::string::npos);
    CHECK(longest_line(text) <= 80);
}

TEST_CASE("without programs and without a capacity the figures are those at the minimum, with the footprint beside") {
    const workplace here;
    // Four quanta: best fit puts c behind b, the smallest hole, and d where a was. Of five rows, one leaves two holes.
    const std::string content = json(here, reuse, "--manager best_fit --manager 'bottom_reserve<best_fit>'");
    const auto best = [&](const char* key) { return value_of(content, "best_fit", key); };
    CHECK(best("capacity_bytes") == "2048");
    CHECK(best("min_capacity_bytes") == "2048");
    CHECK(best("min_search") == "\"exhaustive\"");
    CHECK(best("footprint_bytes") == "2560");
    CHECK(best("overhead_ratio") == "1.250000");
    CHECK(best("fragmentation_mean") == "0.066667");
    CHECK(best("fragmentation_worst") == "0.333333");
    CHECK(best("placement_digest") == "\"6c3aa92deee7a7af\"");
    CHECK(value_of(content, "bottom_reserve<best_fit>", "footprint_bytes") == "null");
    // From the top c does not take the hole next to the bottom while another fits, so d goes below it.
    CHECK(value_of(content, "bottom_reserve<best_fit>", "min_capacity_bytes") == "2560");
}

TEST_CASE(
    "what every manager needs by default is what it needs when asked, and its footprint that of unlimited memory") {
    const workplace here;
    const std::string job = "--workload uniform_churn:live=60,operations=600 --rounds 0 --format csv --manager '*' ";
    const auto rows = [&](const std::string& capacity) {
        std::vector<std::vector<std::string>> result;
        std::istringstream lines(here.run(job + capacity).out);
        for (std::string line; std::getline(lines, line);) {
            std::istringstream cells(line);
            for (result.emplace_back(); std::getline(cells, line, ',');) result.back().push_back(line);
        }
        return result;
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

TEST_CASE("names that are no JSON are escaped") {
    const workplace here;
    here.write("q\"\\\n\xff\xc3\xa9.csv", reuse);
    const ending ended =
        here.run("--trace \"$(printf 'q\"\\\\\\n\\377\\303\\251.csv')\" --rounds 0 --format json --manager best_fit");
    REQUIRE_MESSAGE(ended.status == 0, ended.err);
    CHECK(count_of(ended.out, "\"workload\":\"q\\\"\\\\\\u000a\xef\xbf\xbd\xc3\xa9.csv\"") == 1);
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

namespace {

/// Four weights, and steps: activations, each beside scratch that is gone at once, then back through them.
std::string repeating(std::size_t steps) {
    std::string text = "op,id,bytes\n";
    const auto ask = [&](const std::string& id, std::size_t quanta) {
        text += "alloc," + id + ',' + std::to_string(512 * quanta) + '\n';
    };
    std::size_t weight = 0;
    for (const std::size_t size : {64u, 96u, 32u, 80u}) ask("w" + std::to_string(weight++), size);
    for (std::size_t step = 0; step < steps; ++step) {
        for (std::size_t layer = 0; layer < 12; ++layer) {
            const std::string name = std::to_string(step) + "_" + std::to_string(layer);
            ask("s" + name, 40 + 6 * layer);
            ask("a" + name, 16 + layer % 3);
            text += "free,s" + name + ",\n";
        }
        for (std::size_t layer = 12; layer-- != 0;)
            text += "free,a" + std::to_string(step) + "_" + std::to_string(layer) + ",\n";
    }
    return text;
}

}  // namespace

TEST_CASE("the table says what is fate, and what is not knowing") {
    const workplace here;
    here.write("t.csv", repeating(12));
    const std::string job = "--trace t.csv --rounds 0 --manager best_fit --manager 'compacting<best_fit>' ";
    const std::string table = here.run(job, "COLUMNS=300").out;
    CHECK(count_of(table, "\noffline ") == 1);
    CHECK(count_of(table, "not knowing") == 1);
    const std::string json = here.run(job + "--offline --format json").out;
    const auto number = [&](const char* manager, const char* key) { return std::stoull(value_of(json, manager, key)); };
    CHECK(number("best_fit", "fate_bytes") ==
          number("best_fit", "offline_bytes") - number("best_fit", "peak_live_bytes"));
    for (const char* manager : {"best_fit", "compacting<best_fit>"})
        CHECK(number(manager, "not_knowing_bytes") ==
              number(manager, "min_capacity_bytes") - number(manager, "offline_bytes"));
    CHECK(number("best_fit", "not_knowing_bytes") > number("compacting<best_fit>", "not_knowing_bytes"));
    // A given capacity hides the need of a manager.
    CHECK(here.run(job + "--capacity 1MiB").out.find("\noffline ") == std::string::npos);
}

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

}  // namespace hbm::test::figures_tests
