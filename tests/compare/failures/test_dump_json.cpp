// The allocation dump as JSON.
#include <hbm/explain/dump.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

#include "compare/failures/on_oom.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::dump_json_tests {

namespace {

constexpr std::uint64_t q = 512;

template <class Placement>
using watched = manager<Placement, never_evict, donate_same_size, relieve_cheapest, no_device,
                        observers<allocation_ages, donation_audit>>;

constexpr memory_spec small{.name = "small", .capacity = 100 * q};

}  // namespace

TEST_CASE("the dump as JSON, to the letter") {
    watched<bottom_reserve<best_fit>> memory{small};
    const auto p = memory.load({.name = "p", .code = 4 * q, .scratch = 40 * q, .reload_us = 1});
    REQUIRE(memory.import({50 * q, 20 * q}, memory.tag_of("x")));
    const auto failed = memory.load({.name = "r", .code = q, .scratch = 60 * q});
    REQUIRE_FALSE(failed);
    CHECK(to_json(dump(memory, failed.error(), {.place = {.replica = 0, .partition = 1}})) ==
          R"({"schema":"hbm-dump/1","message":"RESOURCE_EXHAUSTED: Error loading program 'r': Attempting to reserve )"
          R"(30.0K at the bottom of memory. That was not possible. There are 18.0K free, 20.0K reserved, and 5.0K )"
          R"(reservable. Scope: unknown..: while running replica 0 and partition 1 of a replicated computation (other )"
          R"(replicas may have failed as well).","device":"small","manager":"bottom_reserve<best_fit>/never_evict/)"
          R"(donate_same_size","quantum_bytes":512,"failure":{"reason":"scratch_does_not_fit",)"
          R"("status":"RESOURCE_EXHAUSTED","code":"E0101","name":"r","requested_bytes":30720,"alignment_bytes":0,)"
          R"("free_bytes":18432,"largest_free_bytes":13312,"reserved_bytes":20480,"reservable_bytes":5120,)"
          R"("at_the_bottom":true,"code_bytes":512,"scratch_bytes":30720,"argument":null,"first_use":null},)"
          R"("ledger":{"capacity_bytes":51200,"top_reserved_bytes":0,"allocated_bytes":32768,)"
          R"("required_bytes":10752,"available_bytes":7680},"managed_bytes":51200,"reserved_bytes":20480,)"
          R"("reservable_bytes":5120,"blocks_move":false,"programs_leave":false,"map":")" +
              std::string(40, '=') + std::string(10, '.') + std::string(20, '#') + std::string(26, '.') + "pppp" +
              R"(","allocations":{"count":2,"bytes":12288,"shown":[{"name":"x","kind":"buffer","offset_bytes":25600,)"
              R"("size_bytes":10240,"pins":1,"runs":0,"until_fence":0,"wall":true,)"
              R"("half_moved":false,"age":{"runs":0,"events":1}},)"
              R"({"name":"p","kind":"code","offset_bytes":49152,"size_bytes":2048,"pins":0,"runs":0,"until_fence":0,)"
              R"("wall":true,)"
              R"("half_moved":false,"age":{"runs":0,"events":2}}]},"tags":{"count":2,"bytes":12288,"shown":[)"
              R"({"name":"x","kind":"tag","size_bytes":10240,"blocks":1,"oldest_steps":0,"bytes_a_step":null,)"
              R"("since_step":null},{"name":"","kind":"programs","size_bytes":2048,"blocks":1,"oldest_steps":0,)"
              R"("bytes_a_step":null,"since_step":null}]},"holes":{"count":2,"bytes":18432,"shown":[)"
              R"({"offset_bytes":35840,"size_bytes":13312,"below":{"name":"x","kind":"buffer","offset_bytes":25600,)"
              R"("size_bytes":10240,"pins":1,"runs":0,"until_fence":0,"wall":true,)"
              R"("half_moved":false,"age":{"runs":0,"events":1}},)"
              R"("above":{"name":"p","kind":"code","offset_bytes":49152,"size_bytes":2048,"pins":0,"runs":0,)"
              R"("until_fence":0,"wall":true,)"
              R"("half_moved":false,"age":{"runs":0,"events":2}}},{"offset_bytes":20480,"size_bytes":5120,)"
              R"("below":{"name":"","kind":"reservation","offset_bytes":0,"size_bytes":20480,"pins":0,"runs":0,)"
              R"("until_fence":0,"wall":true,)"
              R"("half_moved":false,"age":null},"above":{"name":"x","kind":"buffer","offset_bytes":25600,)"
              R"("size_bytes":10240,"pins":1,"runs":0,"until_fence":0,"wall":true,)"
              R"("half_moved":false,"age":{"runs":0,"events":1}}}]},)"
              R"("programs":{"count":1,"bytes":2048,"shown":[{"name":"p","loaded":true,"running":false,"idle":0,)"
              R"("uses":1,"code_bytes":2048,"scratch_bytes":20480,"spilled_bytes":0,"reload_ns":1000}]},)"
              R"("walls":{"count":2,"bytes":30720,"shown":[{"name":"","kind":"reservation","offset_bytes":0,)"
              R"("size_bytes":20480,"pins":0,"runs":0,"until_fence":0,"wall":true,)"
              R"("half_moved":false,"age":null},{"name":"x",)"
              R"("kind":"buffer","offset_bytes":25600,"size_bytes":10240,"pins":1,"runs":0,"until_fence":0,)"
              R"("wall":true,)"
              R"("half_moved":false,"age":{"runs":0,"events":1}}]},"pending_frees":{"count":0,"bytes":0,"shown":[]},)"
              R"("runs_in_flight":{"count":0,"shown":[]},"donations":{"offered":0,"taken":0,"kept":0,"not_taken":0,)"
              R"("refused":[]}})");
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
    CHECK(json.find("\"refused\":null") != std::string::npos);
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
