// Steps of programs as a workload.

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "compare/read/xla/program.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/replay/trace_helpers.hpp"
#include "compare/workloads/program_workload.hpp"

namespace hbm::test::program_workload_tests {

using namespace hbm::imported;
using hbm::trace::op;

namespace {

program_argument argument(std::uint64_t parameter, std::uint64_t bytes, std::string shape = {}) {
    return {parameter, {}, exactly(bytes), std::nullopt, std::move(shape)};
}

program_output output(std::uint64_t index, std::uint64_t bytes, std::optional<std::size_t> of = {},
                      std::string shape = {}) {
    return {{index}, exactly(bytes), std::nullopt, std::move(shape), of};
}

/// Weights that are donated, a cache that is not, a batch; new weights, a new cache, a loss.
imported_program step() {
    imported_program made;
    made.name = "step";
    made.arguments = {argument(0, 4096), argument(1, 2048), argument(2, 1024)};
    made.outputs = {output(0, 4096, 0), output(1, 2048), output(2, 512)};
    made.temporary = exactly(8192);
    made.constant = exactly(512);
    made.knows_outputs = true;
    return made;
}

hbm::trace::workload build(const scheduled_program& of) {
    return hbm::compare::workload_of(std::span(&of, 1), "w");
}

}  // namespace

TEST_CASE("a program is loaded, its arguments are allocated, and outputs become the next step's arguments") {
    CHECK(::in_words(build({.what = step(), .name = "step", .runs = 2})) ==
          "load step 512 scratch 8192 reload -; "
          "alloc step/arg0 4096 #argument; alloc step/arg1 2048 #argument; alloc step/arg2 1024 #argument; "
          "run step #run uses step/arg1 step/arg2 takes step/arg0 "
          "gives step/out0@1:4096 step/out1@1:2048 step/out2@1:512; "
          "free step/arg1 -; "
          "run step #run uses step/out1@1 step/arg2 takes step/out0@1 "
          "gives step/out0@2:4096 step/out1@2:2048 step/out2@2:512; "
          "free step/out2@1 -; free step/out1@1 -; ");
}

TEST_CASE("outputs pair with aliases first, then donors, then shape, then size") {
    imported_program program = step();
    CHECK(pair_steps(program, donation_choice::as_is)[0].argument == 0);
    CHECK(pair_steps(program, donation_choice::as_is)[0].is_donated);
    CHECK(pair_steps(program, donation_choice::as_is)[1].argument == 1);
    CHECK_FALSE(pair_steps(program, donation_choice::as_is)[1].is_donated);
    CHECK_FALSE(pair_steps(program, donation_choice::as_is)[2].argument);
    CHECK(pair_steps(program, donation_choice::all)[1].is_donated);
    CHECK_FALSE(pair_steps(program, donation_choice::none)[0].is_donated);
    CHECK(pair_steps(program, donation_choice::none)[0].argument == 0);

    program.donors = {1};
    CHECK(pair_steps(program, donation_choice::as_is)[1].is_donated);

    imported_program equal;
    equal.arguments = {argument(0, 64, "s32[16]"), argument(1, 64, "f32[16]{0}"), argument(2, 64, "f32[16]{0}")};
    equal.outputs = {output(0, 64, {}, "f32[16]"), output(1, 64, {}, "f32[16]"), output(2, 64, {}, "u8[64]"),
                     output(3, 64, {}, "f32[16]")};
    const std::vector<step_pair> pairs = pair_steps(equal, donation_choice::as_is);
    CHECK(pairs[0].argument == 1);
    CHECK(pairs[1].argument == 2);
    CHECK(pairs[2].argument == 0);
    CHECK_FALSE(pairs[3].argument);
}

TEST_CASE("the choice of donation shows in what a run needs at least") {
    const auto need = [](donation_choice donation) {
        return hbm::trace::min_bytes(build({.what = step(), .name = "s", .runs = 3, .donation = donation}), 512);
    };
    constexpr std::uint64_t program = 8192 + 512;
    constexpr std::uint64_t arguments = 4096 + 2048 + 1024;
    // The loss of the step before lives until this step has made its own.
    CHECK(need(donation_choice::as_is) == program + arguments + 2048 + 512 + 512);
    CHECK(need(donation_choice::all) == program + arguments + 512 + 512);
    CHECK(need(donation_choice::none) == program + arguments + 4096 + 2048 + 512 + 512);
}

TEST_CASE("several programs run on one device, each as often and in as many steps as asked") {
    const std::vector<scheduled_program> programs = {{.what = step(), .name = "train", .runs = 4, .every = 1},
                                                     {.what = step(), .name = "evaluate", .runs = 2, .every = 3}};
    const hbm::trace::workload made = hbm::compare::workload_of(programs, "both");
    std::string order;
    for (const auto& row : made.rows)
        if (row.what == op::run || row.what == op::load)
            order.append(row.what == op::load ? "load " : "").append(made.ids[row.subject]) += ' ';
    CHECK(order == "load train load evaluate train evaluate train train train evaluate ");
    CHECK(made.name == "both");
}

TEST_CASE("steps in which nothing runs cost nothing") {
    scheduled_program often{.what = step(), .name = "often", .runs = 3, .every = 1};
    scheduled_program seldom{.what = step(), .name = "seldom", .runs = 3, .every = ~std::uint64_t{0} / 8};
    const std::vector<scheduled_program> both{often, seldom};
    const hbm::trace::workload made = hbm::compare::workload_of(both, "w");
    std::string order;
    for (const hbm::trace::row& each : made.rows)
        if (each.what == op::run) order += made.ids[each.subject] == "often" ? 'o' : 's';
    CHECK(order == "osooss");
}

TEST_CASE("programs may share the arguments of the same size and shape, also those that a step replaces") {
    imported_program train = step();
    train.arguments[0].shape = "f32[1024]{0}";
    train.arguments[1].shape = "f32[512]{0}";
    imported_program evaluate;
    evaluate.arguments = {argument(0, 4096, "f32[1024]"), argument(1, 4096, "f32[1024]"),
                          argument(2, 2048, "s32[512]")};
    std::vector<scheduled_program> programs = {{.what = train, .name = "train", .runs = 2},
                                               {.what = evaluate, .name = "evaluate", .runs = 2}};
    programs[1].shares_arguments = true;
    const hbm::trace::workload made = hbm::compare::workload_of(programs, "both");
    const std::string rows = ::in_words(made);
    CHECK(rows.find("alloc evaluate/arg0") == std::string::npos);
    CHECK(rows.find("alloc evaluate/arg1 4096") != std::string::npos);
    CHECK(rows.find("alloc evaluate/arg2 2048") != std::string::npos);
    CHECK(rows.find("run evaluate #run uses train/out0@1 evaluate/arg1 evaluate/arg2") != std::string::npos);
    CHECK(rows.find("run evaluate #run uses train/out0@2 evaluate/arg1 evaluate/arg2") != std::string::npos);
}

TEST_CASE("a program of which nothing but arguments is known runs without outputs") {
    imported_program program;
    program.arguments = {argument(0, 4096)};
    const hbm::trace::workload made = build({.what = program, .name = "p"});
    CHECK(made.has_programs());
    CHECK(hbm::trace::min_bytes(made, 512) == 512 + 4096);
}

TEST_CASE("sizes near 2^64 and no size at all are rows like others") {
    imported_program program;
    program.arguments = {argument(0, ~std::uint64_t{0}), argument(1, 0)};
    program.outputs = {output(0, ~std::uint64_t{0}, 0), output(1, 0)};
    program.constant = exactly(~std::uint64_t{0});
    program.code = exactly(~std::uint64_t{0});
    const hbm::trace::workload made = build({.what = program, .name = "p"});
    CHECK(made.rows.front().bytes == ~std::uint64_t{0});
}

TEST_CASE("tags have the shape, without commas") {
    imported_program program;
    program.arguments = {argument(0, 64, "f32[4,4]{1,0}"), argument(1, 64, std::string(100, 'x'))};
    const hbm::trace::workload made = build({.what = program, .name = "p"});
    CHECK(made.tags[made.rows[1].tag] == "argument f32[4x4]");
    CHECK(made.tags[made.rows[2].tag] == "argument");
}

}  // namespace hbm::test::program_workload_tests
