// Programs of --program: their files, their names, and notes on many of them.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "compare/program/compare_program.hpp"
#include "compare/workloads/programs.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::programs_tests {

using namespace hbm::compare;

namespace {

using imported::scheduled_program;

/// Returns a program of a file of the workplace, under a name of the user's.
program_request request_of(const workplace& here, const std::string& file, std::string name = {}) {
    program_request request;
    request.file = here.at(file).string();
    request.name = std::move(name);
    return request;
}

std::vector<scheduled_program> programs_of(const std::vector<program_request>& requests) {
    std::vector<scheduled_program> programs;
    std::vector<std::string> warnings;
    read_programs(requests, programs, warnings);
    CHECK(warnings.empty());
    return programs;
}

}  // namespace

TEST_CASE("programs: a folder with the name of a dump's file is not read") {
    const workplace here;
    const std::string stem = "module_0001.jit_step.cl_1.after_optimizations";
    here.write(stem + ".txt", dump_samples::module_text);
    std::filesystem::create_directory(here.at(stem + "-buffer-assignment.txt"));
    CHECK(programs_of({request_of(here, stem + ".txt")}).size() == 1);
    CHECK(dump_files_in(here.at("").string()).size() == 1);
}

TEST_CASE("programs: names have no commas, slashes and blanks, and at most 200 bytes of whole characters") {
    const workplace here;
    here.write("m.txt", dump_samples::module_text);
    std::string longest = "x";
    while (longest.size() < 199) longest += "\xc3\xa9";
    const std::vector<scheduled_program> programs =
        programs_of({request_of(here, "m.txt", "a/b,c d"), request_of(here, "m.txt", longest + "\xc3\xa9\xc3\xa9")});
    CHECK(programs[0].name == "a_b_c_d");
    CHECK(programs[1].name == longest);
}

TEST_CASE("programs: labels are cut between characters") {
    std::string kept = "x";
    while (kept.size() < 39) kept += "\xc3\xa9";
    CHECK(program_label(kept + "\xc3\xa9\xc3\xa9") == kept + "...");
    CHECK(program_label(kept) == kept);
}

TEST_CASE("programs: many of one name are read and numbered in linear time") {
    const workplace here;
    constexpr std::size_t count = 10'000;
    std::string text;
    for (std::size_t at = 0; at < count; ++at) text += "HloModule m, entry_computation_layout={()->s8[]}\n";
    here.write("m.txt", text);
    const std::vector<scheduled_program> programs = programs_of({request_of(here, "m.txt")});
    REQUIRE(programs.size() == count);
    CHECK(programs.front().name == "m");
    CHECK(programs.back().name == "m#" + std::to_string(count));
}

TEST_CASE("programs: notes on many programs and their equal arguments take no longer than their number") {
    std::vector<scheduled_program> programs(4000);
    for (std::size_t at = 0; at < programs.size(); ++at) {
        programs[at].name = "p" + std::to_string(at);
        programs[at].what.knows_outputs = true;
        programs[at].what.arguments.resize(5);
        for (auto& argument : programs[at].what.arguments) {
            argument.size = imported::exactly(4);
            argument.shape = "f32[]";
        }
    }
    const std::vector<std::string> notes = program_notes(programs);
    std::size_t equal = 0;
    for (const std::string& note : notes) equal += note.find("share=yes") != std::string::npos ? 1u : 0u;
    CHECK(equal == programs.size() - 1);
}

}  // namespace hbm::test::programs_tests
