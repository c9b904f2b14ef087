#include <doctest/doctest.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/csv/read.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/row_failure.hpp"
#include "compare/replay/workload_builder.hpp"
#include "compare/text/token_table.hpp"
#include "trace_helpers.hpp"

namespace hbm::test::workload_tests {

using namespace hbm::trace;

TEST_SUITE("trace workload") {
    TEST_CASE("tokens are numbered in order of first appearance") {
        token_table tokens;
        CHECK(tokens.find("a") == token_table::absent);
        CHECK(tokens.intern("a") == 0);
        CHECK(tokens.intern("b") == 1);
        CHECK(tokens.intern("a") == 0);
        CHECK(tokens.find("b") == 1);
        CHECK(tokens.size() == 2);
    }

    TEST_CASE("many tokens come and go") {
        token_table tokens;
        for (std::uint32_t number = 0; number < 5000; ++number) {
            REQUIRE(tokens.intern("token" + std::to_string(number)) == number);
        }
        for (std::uint32_t number = 5000; number-- > 1234;) tokens.take_back(number);
        CHECK(tokens.size() == 1234);
        for (std::uint32_t number = 0; number < 5000; ++number) {
            const std::uint32_t expected = number < 1234 ? number : token_table::absent;
            REQUIRE(tokens.find("token" + std::to_string(number)) == expected);
        }
        CHECK(tokens.intern("token4999") == 1234);
    }

    TEST_CASE("forgotten tokens leave their numbers to others") {
        token_table tokens;
        std::vector<bool> is_odd;
        for (std::uint32_t number = 0; number < 1000; ++number) {
            REQUIRE(tokens.intern("token" + std::to_string(number)) == number);
            is_odd.push_back(number % 2 == 1);
        }
        tokens.forget(is_odd);
        for (std::uint32_t number = 0; number < 1000; ++number)
            REQUIRE(tokens.find("token" + std::to_string(number)) == (number % 2 == 1 ? token_table::absent : number));
        for (std::uint32_t number = 1; number < 1000; number += 2) {
            REQUIRE(tokens.has_free_number());
            REQUIRE(tokens.intern("new" + std::to_string(number)) == number);
        }
        CHECK_FALSE(tokens.has_free_number());
        CHECK(tokens.size() == 1000);
        CHECK(tokens.intern("last") == 1000);
        tokens.take_back(1000);
        tokens.forget(is_odd);
        CHECK(tokens.intern("once more") == 1);
        tokens.take_back(1);
        CHECK(tokens.find("once more") == token_table::absent);
        CHECK(tokens.intern("again") == 1);
        CHECK(tokens.find("token998") == 998);
    }

    TEST_CASE("a refused row changes nothing") {
        workload_builder builder("w");
        REQUIRE(builder.load("p", {100, 200, 7}).ok());
        REQUIRE(builder.alloc("a", 512, "tag").ok());
        const std::array<std::string_view, 1> a{"a"};
        const std::array<named_size, 2> outputs{{{"new", 1}, {"a", 2}}};
        const auto problem = builder.run("p", {a, {}, outputs});
        CHECK(problem.where == field::outputs);
        CHECK(problem.found == "id `a` of a live buffer");
        REQUIRE(!builder.free("new").ok());
        REQUIRE(!builder.alloc("other", 3, "bad,tag").ok());
        REQUIRE(builder.run("p", {a, {}, {}}).ok());
        const workload made = std::move(builder).finish();
        CHECK(in_words(made) == "load p 100 scratch 200 reload 7; alloc a 512 #tag; run p uses a; ");
        CHECK(made.ids == std::vector<std::string>{"p", "a"});
        CHECK(made.tags == std::vector<std::string>{"", "tag"});
        CHECK(made.outputs.empty());
        CHECK(made.name == "w");
        CHECK(made.lines.empty());
        CHECK(made.times.empty());
    }

    TEST_CASE("times begin at nothing and never fall") {
        workload_builder builder;
        REQUIRE(builder.sync().ok());
        REQUIRE(builder.at_time(5).ok());
        REQUIRE(builder.sync().ok());
        const auto problem = builder.at_time(4);
        CHECK(problem.found == "time 4 after 5");
        REQUIRE(builder.sync().ok());
        CHECK(std::move(builder).finish().times == std::vector<std::uint64_t>{0, 5, 5});
    }

    TEST_CASE("hostile sizes are kept as they are") {
        workload_builder builder;
        const std::uint64_t largest = ~std::uint64_t{0};
        REQUIRE(builder.alloc("zero", 0).ok());
        REQUIRE(builder.alloc("huge", largest).ok());
        REQUIRE(builder.alloc("nearly", largest - 1).ok());
        REQUIRE(!builder.free("nearly", 5).ok());
        REQUIRE(builder.free("zero", 0).ok());
        REQUIRE(builder.free("huge", largest).ok());
        REQUIRE(builder.free("nearly", largest - 1).ok());
        REQUIRE(builder.load("p", {largest, largest, largest}).ok());
    }

    TEST_CASE("pins count, and end with their buffer") {
        workload_builder builder;
        REQUIRE(builder.alloc("a", 1).ok());
        REQUIRE(builder.pin("a").ok());
        REQUIRE(builder.pin("a").ok());
        REQUIRE(builder.unpin("a").ok());
        REQUIRE(builder.unpin("a").ok());
        CHECK(!builder.unpin("a").ok());
        REQUIRE(builder.pin("a").ok());
        REQUIRE(builder.free("a").ok());
        CHECK(!builder.unpin("a").ok());
        REQUIRE(builder.alloc("a", 1).ok());
        CHECK(!builder.unpin("a").ok());
    }

    TEST_CASE("a run loads its program, which can be unloaded afterwards and not loaded in another size") {
        workload_builder builder;
        REQUIRE(builder.load("p", {100, 200}).ok());
        REQUIRE(builder.unload("p").ok());
        CHECK(!builder.unload("p").ok());
        REQUIRE(builder.run("p", {}).ok());
        CHECK(!builder.load("p", {101, 200}).ok());
        CHECK(!builder.load("p", {100, 201}).ok());
        REQUIRE(builder.unload("p").ok());
        REQUIRE(builder.load("p", {101, 200}).ok());
    }

    TEST_CASE("an output may take the id of a buffer that the same run donates") {
        workload_builder builder;
        REQUIRE(builder.load("p", {1}).ok());
        REQUIRE(builder.alloc("state", 10).ok());
        const std::array<std::string_view, 1> state{"state"};
        const std::array<named_size, 1> larger{{{"state", 20}}};
        REQUIRE(builder.run("p", {{}, state, larger}).ok());
        REQUIRE(builder.free("state", 20).ok());
        CHECK(!builder.free("state").ok());
    }

    TEST_CASE("ids of ended buffers are forgotten once they are many, and live ones are not") {
        constexpr std::uint32_t count = 300'000;
        workload_builder builder;
        REQUIRE(builder.load("p", {1}).ok());
        REQUIRE(builder.alloc("kept", 5).ok());
        REQUIRE(builder.alloc("old", 5).ok());
        REQUIRE(builder.free("old").ok());
        for (std::uint32_t number = 0; number < count; ++number) {
            const std::string name = "b" + std::to_string(number);
            REQUIRE(builder.alloc(name, number).ok());
            if (number % 3 != 0) REQUIRE(builder.free(name, number).ok());
        }
        CHECK(!builder.free("b1").ok());
        CHECK(!builder.alloc("b0", 1).ok());
        CHECK(!builder.alloc("p", 1).ok());
        CHECK(builder.unload("p").ok());
        for (std::uint32_t number = 0; number < count; number += 3)
            REQUIRE(builder.free("b" + std::to_string(number), number).ok());
        REQUIRE(builder.free("kept", 5).ok());
        REQUIRE(builder.alloc("old", 7).ok());
        const workload made = std::move(builder).finish();
        CHECK(made.ids.size() == count + 4);  // "old" has a second number
        CHECK(made.ids[2] == "old");
        CHECK(made.ids.back() == "old");
        CHECK(made.rows.back() == row{.bytes = 7, .subject = count + 3});
        CHECK(made.rows[made.rows.size() - 2] == row{.bytes = 5, .subject = 1, .what = op::free});
        for (std::size_t at = 4; at < made.rows.size(); ++at) {
            const row next = made.rows[at];
            if (next.what == op::alloc && next.subject > 2 && next.subject < count + 3)
                REQUIRE(made.ids[next.subject] == "b" + std::to_string(next.bytes));
        }
    }

    TEST_CASE("whether there are programs and donations") {
        workload_builder builder;
        REQUIRE(builder.alloc("a", 1).ok());
        workload_builder with_program = builder;
        REQUIRE(with_program.load("p", {1}).ok());
        workload_builder with_donation = with_program;
        const std::array<std::string_view, 1> a{"a"};
        REQUIRE(with_donation.run("p", {{}, a, {}}).ok());
        const workload plain = std::move(builder).finish();
        const workload programs = std::move(with_program).finish();
        const workload donations = std::move(with_donation).finish();
        CHECK_FALSE(plain.has_programs());
        CHECK_FALSE(plain.has_donations());
        CHECK(programs.has_programs());
        CHECK_FALSE(programs.has_donations());
        CHECK(donations.has_donations());
    }
}

namespace {

std::optional<std::size_t> beyond(const std::string& rows, std::uint64_t most) {
    return find_row_beyond(read_text("op,id,bytes,scratch,outputs,donated,offset\n" + rows, "t.csv"), most);
}

}  // namespace

TEST_CASE("buffers and programs count until they end, and all at once may be as large as the limit") {
    CHECK(!beyond("alloc,a,60\nalloc,b,40\nfree,a\nalloc,a,60\n", 100));
    CHECK(beyond("alloc,a,60\nalloc,b,41\n", 100) == 1);
    CHECK(!beyond("load,p,60,40\nunload,p\nload,p,70,30\n", 100));
    CHECK(beyond("load,p,60,41\n", 100) == 0);
    CHECK(!beyond("load,p,10,0\nalloc,a,60\nrun,p,,,b:90,a\n", 100));
    CHECK(beyond("load,p,10,0\nalloc,a,60\nrun,p,,,b:31 c:60,a\n", 100) == 2);
    CHECK(beyond("import,a,1,,,,100\n", 100) == 0);
    CHECK(!beyond("import,a,1,,,,99\n", 100));
}

TEST_CASE("sums near 2^64 do not wrap") {
    CHECK(beyond("alloc,a,18446744073709551615\n", most_bytes_at_once) == 0);
    CHECK(beyond("load,p,18446744073709551615,18446744073709551615\n", most_bytes_at_once) == 0);
    CHECK(beyond("load,p,1\nrun,p,,,a:9223372036854775808 b:9223372036854775808\n", most_bytes_at_once) == 1);
    CHECK(beyond("import,a,1,,,,18446744073709551613\n", most_bytes_at_once) == 0);
}

}  // namespace hbm::test::workload_tests
