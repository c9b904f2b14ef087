// Dumps and explanations as JSON.
#include <hbm/compact.hpp>
#include <hbm/explain/dump.hpp>
#include <hbm/explain/explanation.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "compare/failures/on_oom.hpp"
#include "support/golden_text.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::dump_json_tests {

namespace {

constexpr std::uint64_t q = 512;

template <class Placement>
using watched = manager<Placement, never_evict, donate_same_size, relieve_cheapest, no_device, allocation_ages>;

constexpr memory_spec small{.name = "small", .capacity = 100 * q};

}  // namespace

TEST_CASE("the dump as JSON, to the letter") {
    watched<bottom_reserve<best_fit>> memory{small};
    const auto p = memory.load({.name = "p", .code = 4 * q, .scratch = 40 * q, .reload_us = 1});
    REQUIRE(memory.import({50 * q, 20 * q}, memory.tag_of("x")));
    const auto failed = memory.load({.name = "r", .code = q, .scratch = 60 * q});
    REQUIRE_FALSE(failed);
    const std::string json = to_json(dump(memory, failed.error(), {.place = {.replica = 0, .partition = 1}})) + "\n";
    CHECK(json == golden_text("compare/failures/dump.txt", "a load that finds no room", json));
    CHECK(is_valid_json(json));
    REQUIRE(p);
}

TEST_CASE("whatever the names, the JSON is valid") {
    const char* names[] = {"\"quoted\" and \\", "two\nlines\tand \x01\x7f", "gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x98\x80",
                           "\xff\xc0\xaf\xed\xa0\x80\xf5", "\xe2\x82"};
    const char* written[] = {R"("\"quoted\" and \\")", R"("two\u000alines\u0009and \u0001\u007f")",
                             "\"gr\xc3\xbc\xc3\x9f\x65 \xf0\x9f\x98\x80\"",
                             "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\"",
                             "\"\xef\xbf\xbd\xef\xbf\xbd\""};
    for (std::size_t i = 0; i < std::size(names); ++i) {
        manager<first_fit> memory{small};
        REQUIRE(memory.allocate(q, names[i]));
        const auto failed = memory.load({.name = names[i], .code = 100 * q});
        const std::string json = to_json(dump(memory, failed.error()));
        CHECK(is_valid_json(json));
        CHECK(json.find(written[i]) != std::string::npos);
    }
    CHECK_FALSE(is_valid_json("{\"a\":1,}"));
    CHECK_FALSE(is_valid_json("{\"a\" 1}"));
    CHECK_FALSE(is_valid_json("[01]"));
    CHECK_FALSE(is_valid_json("\"\x01\""));
}

TEST_CASE("facts that the manager does not know are null, and empty lists are valid") {
    manager<first_fit> memory{small};
    REQUIRE(memory.allocate(q, "x"));
    const auto failed = memory.allocate(100 * q);
    REQUIRE_FALSE(failed);
    const std::string json = to_json(dump(memory, failed.error(), {.most = 0}));
    CHECK(is_valid_json(json));
    CHECK(to_json(dump(memory, failed.error()))
              .find("\"blocks\":1,\"oldest_steps\":null,\"bytes_a_step\":null,\"since_step\":null}") !=
          std::string::npos);
}

TEST_CASE("a stopped move, a memory of nothing and one of 2^62 bytes are valid JSON") {
    manager<compacting<best_fit>> memory{small};
    const auto moved = memory.import({10 * q, 30 * q}, memory.tag_of("a"));
    REQUIRE(memory.unpin(*moved));
    REQUIRE(memory.compact(10 * q).moved == 10 * q);
    const auto failed = memory.allocate(80 * q);
    REQUIRE_FALSE(failed);
    CHECK(to_json(dump(memory, failed.error())).find(R"("wall":true,"half_moved":true)") != std::string::npos);

    manager<first_fit> nothing;
    CHECK(is_valid_json(to_json(dump(nothing, nothing.allocate(1).error()))));
    manager<basic_best_fit<std::uint64_t>> wide{{.name = "wide", .capacity = std::uint64_t{1} << 62, .quantum = 1}};
    REQUIRE(wide.allocate(1, "x"));
    CHECK(is_valid_json(to_json(dump(wide, wide.allocate(std::uint64_t{1} << 62).error()))));
}

}  // namespace hbm::test::dump_json_tests
