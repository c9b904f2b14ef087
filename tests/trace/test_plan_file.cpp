#include <hbm/pack/plan_sequence.hpp>
#include <hbm/trace/plan_file.hpp>
#include <hbm/trace/sequence_of.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace hbm::test::plan_file_tests {

namespace {

/// Steps of two sizes and the same structure, with a block that outlives each.
known_sequence program() {
    known_sequence made;
    made.ask(5);
    std::uint32_t carried = made.ask(3);
    for (std::uint32_t step = 0; step < 8; ++step) {
        std::vector<std::uint32_t> kept;
        for (std::uint32_t layer = 0; layer < 12; ++layer) {
            const std::uint32_t scratch = made.ask(90 + 40 * (step % 2) + 7 * layer);
            kept.push_back(made.ask(30 + 9 * (step % 2) + layer));
            made.free(scratch);
        }
        const std::uint32_t next = made.ask(3);
        for (; !kept.empty(); kept.pop_back()) made.free(kept.back());
        made.free(carried);
        carried = next;
    }
    return made;
}

std::string error_of(const std::string& rows) {
    const auto read = trace::read_plan("row,size,offset,partner,lower,next,alike\n" + rows, "p.csv");
    const auto* const error = std::get_if<trace::read_error>(&read);
    return error == nullptr ? "" : error->message();
}

}  // namespace

TEST_CASE("a plan that was written is read as it was") {
    const sequence_plan plan = plan_for(program(), {.max_steps = 0});
    REQUIRE(plan.steps.size() > 2);
    REQUIRE(!plan.places.empty());
    const auto read = trace::read_plan(trace::write_plan(plan), "p.csv");
    REQUIRE(std::holds_alternative<sequence_plan>(read));
    CHECK(std::get<sequence_plan>(read) == plan);
    CHECK(std::get<sequence_plan>(trace::read_plan(trace::write_plan({}), "p.csv")) == sequence_plan{});
}

TEST_CASE("what is wrong with a file is said at its line and column") {
    const std::string begin = "version,1\nstep,4,,,,0,0\n";
    CHECK(error_of(begin + "alloc,4,0,1\nfree,4,,0\norder,0\n") == "");
    CHECK(error_of("version,2\n").find("p.csv:2:9:") == 0);
    CHECK(error_of("step,4,,,,0,0\n").find("p.csv:2:1:") == 0);
    CHECK(error_of("version,1\nalloc,4,0\n").find("p.csv:3:1:") == 0);
    CHECK(error_of(begin + "grow,4\n").find("p.csv:4:1:") == 0);
    CHECK(error_of(begin + "alloc,x,0\n").find("p.csv:4:7:") == 0);
    CHECK(error_of(begin + "alloc,1073741824,0\n").find("p.csv:4:7:") == 0);
    CHECK(error_of(begin + "alloc,4,0,7\nfree,4,,0\norder,0\n").find("p.csv:4:11:") == 0);
    CHECK(error_of(begin + "alloc,4,0,1\nfree,5,,0\norder,0\n").find("p.csv:4:11:") == 0);
    CHECK(error_of(begin + "alloc,4,0,,9\norder,0\n").find("p.csv:4:12:") == 0);
    CHECK(error_of(begin + "stay,4,0,0\nplace,,9,,,0\norder,0\n").find("p.csv:5:12:") == 0);
    CHECK(error_of(begin + "alloc,4,0\norder,3\n").find("p.csv:5:7:") == 0);
    CHECK(error_of(begin + "alloc,4,0\n").find("p.csv:") == 0);
}

TEST_CASE("the requests of a workload are its alloc and free rows, in quanta") {
    trace::workload load;
    load.ids = {"a", "b"};
    load.rows = {{1000, 0, trace::no_detail, 0, trace::op::alloc},
                 {0, 1, trace::no_detail, 0, trace::op::alloc},
                 {1000, 0, trace::no_detail, 0, trace::op::free},
                 {512, 0, trace::no_detail, 0, trace::op::alloc}};
    known_sequence expected;
    const std::uint32_t first = expected.ask(2);
    expected.ask(1);
    expected.free(first);
    CHECK(trace::sequence_of(load, 3, 512) == expected);
    expected.ask(1);
    CHECK(trace::sequence_of(load, 100, 512) == expected);
}

}  // namespace hbm::test::plan_file_tests
