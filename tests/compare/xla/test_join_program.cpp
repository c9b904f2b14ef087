// Files of one dump, put together.

#include <doctest/doctest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compare/read/xla/program/join_program.hpp"
#include "compare/read/xla/program/program_files.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::join_program_tests {

using namespace hbm::imported;
using xla::imported_program;

namespace {

constexpr auto module_part = std::pair{file_kind::module, dump_samples::module_text};
constexpr auto assignment_part = std::pair{file_kind::assignment, dump_samples::assignment_text};
constexpr auto report_part = std::pair{file_kind::report, dump_samples::report_text};

reading<imported_program> join(std::initializer_list<std::pair<file_kind, std::string_view>> parts) {
    xla::program_files files;
    for (const auto& [kind, text] : parts)
        REQUIRE_FALSE(xla::add_file(files, kind, text, "folder/" + std::string(kind_name(kind)) + ".txt"));
    return xla::join_program(files);
}

std::string replaced(std::string_view in, std::string_view from, std::string_view to) {
    std::string text(in);
    const std::size_t at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

bool is_unknown(const imported_program& in, std::string_view what) {
    for (const xla::unknown_fact& each : in.unknown)
        if (each.what == what) return !each.remedy.empty();
    return false;
}

/// A module before partitioning: 2 devices share the first argument.
constexpr std::string_view whole_arrays =
    "HloModule jit_step, buffer_donor={ (0, {}) }, "
    "entry_computation_layout={(f32[32,192]{1,0:T(8,128)}, f32[16,64]{1,0:T(8,128)})->f32[32,192]{1,0:T(8,128)}}, "
    "num_partitions=2\n"
    "\n"
    "ENTRY %main.9 (a: f32[32,192], b: f32[16,64]) -> f32[32,192] {\n"
    "  %a = f32[32,192]{1,0} parameter(0), sharding={devices=[2,1]<=[2]}\n"
    "  %b = f32[16,64]{1,0} parameter(1), sharding={replicated}\n"
    "  ROOT %add = f32[32,192]{1,0} add(%a, %a), sharding={devices=[2,1]<=[2]}\n"
    "}\n";

}  // namespace

TEST_CASE("names of a dump's files have a stem in common") {
    using xla::dump_part;
    const auto stem = [](std::string_view name) {
        const auto parts = xla::read_dump_name(name);
        return parts ? std::string(parts->stem) : std::string("none");
    };
    CHECK(stem("module_0023.jit_f.cl_804.after_optimizations.txt") == "module_0023.jit_f.cl_804.");
    CHECK(stem("module_0023.jit_f.cl_804.after_optimizations-buffer-assignment.txt") == "module_0023.jit_f.cl_804.");
    CHECK(stem("module_0023.jit_f.cl_804.hlo_module_config.txt") == "module_0023.jit_f.cl_804.");
    CHECK(stem("module_0007.f.7.sm_8.0_gpu_after_optimizations.txt") == "module_0007.f.7.");
    CHECK(stem("module_0007.f.7.cpu_after_optimizations-memory-usage-report.txt.gz") == "module_0007.f.7.");
    CHECK(stem("module_0007.f.7.before_optimizations.txt") == "module_0007.f.7.");
    CHECK(stem("module_0007.f.7.ptx") == "none");
    CHECK(stem("after_optimizations.txt") == "none");
    CHECK(stem("module_0007.f.sm_x_gpu_after_optimizations.txt") == "module_0007.f.sm_x_");
    CHECK(xla::read_dump_name("m.after_optimizations.txt")->part == dump_part::optimized);
    CHECK(xla::read_dump_name("m.before_optimizations.txt")->part == dump_part::unoptimized);
    CHECK(xla::program_name("module_0023.jit_f.cl_804.") == "jit_f");
    CHECK(xla::program_name("module_0007.f.7.") == "f.7");
    CHECK(xla::program_name("x") == "x");
}

TEST_CASE("an assignment and a module give a whole program; only its code is unknown") {
    const auto joined = join({module_part, assignment_part, report_part});
    REQUIRE(joined);
    CHECK(joined->name == "jit_step");
    REQUIRE(joined->arguments.size() == 2);
    CHECK(joined->arguments[0].size.bytes == 16384);
    CHECK(joined->arguments[0].unpadded_bytes == 16 * 192 * 4);
    REQUIRE(joined->outputs.size() == 2);
    CHECK(joined->outputs[0].argument == 0);
    CHECK_FALSE(joined->outputs[1].argument);
    CHECK(joined->outputs[1].size.bytes == 512);
    REQUIRE(joined->temporary);
    CHECK(joined->temporary->bytes == 65536);
    CHECK(joined->constant->bytes == 1024);
    CHECK_FALSE(joined->code);
    CHECK(joined->unknown.size() == 1);
    CHECK(is_unknown(*joined, "code"));
    CHECK(joined->notes.empty());
    const xla::program_sums sums = sums_of(*joined);
    CHECK(sums.need.bytes == 16384 + 8192 + 512 + 65536 + 1024);
    CHECK(sums.aliases.bytes == 16384);
    CHECK(sums.padding == 4096 + 4096 + 508);
}

TEST_CASE("arguments have the names that users gave them, and the file that lists donations is known") {
    const std::string named =
        replaced(dump_samples::module_text, "parameter(1)", "parameter(1), metadata={op_name=\"batch['image']\"}");
    const auto module = std::pair{file_kind::module, std::string_view(named)};
    for (const auto& from : {join({module}), join({module, assignment_part}), join({report_part, module})}) {
        REQUIRE(from);
        REQUIRE(from->arguments.size() == 2);
        CHECK(from->arguments[0].label.empty());
        CHECK(from->arguments[1].label == "batch['image']");
        CHECK(from->donation_file == "folder/module.txt");
    }
    CHECK(join({assignment_part})->donation_file == "folder/assignment.txt");
    CHECK(join({report_part})->donation_file.empty());
}

TEST_CASE("a module alone leaves temporaries and constants unknown, not zero") {
    const auto joined = join({module_part});
    REQUIRE(joined);
    CHECK_FALSE(joined->temporary);
    CHECK_FALSE(joined->constant);
    CHECK(is_unknown(*joined, "temporaries and constants"));
    CHECK(joined->outputs[0].argument == 0);
    CHECK(sums_of(*joined).need.bytes == 16384 + 8192 + 512);
}

TEST_CASE("a report alone gives rounded sizes and outputs without the table of the result") {
    const auto joined = join({report_part});
    REQUIRE(joined);
    CHECK_FALSE(joined->arguments[0].size.is_exact());
    REQUIRE(joined->outputs.size() == 2);
    std::size_t aliased = 0;
    for (const auto& each : joined->outputs) aliased += each.argument ? 1U : 0U;
    CHECK(aliased == 1);
    const xla::program_sums sums = sums_of(*joined);
    CHECK(sums.need.low < 91648);
    CHECK(sums.need.high > 91648);
}

TEST_CASE("layouts of whole arrays make the rounded sizes of a report exact") {
    const auto joined = join({report_part, {file_kind::module, whole_arrays}});
    REQUIRE(joined);
    CHECK(joined->arguments[0].size == rounded_size{16384, 16384, 16384});
    CHECK(joined->arguments[1].size == rounded_size{8192, 8192, 8192});
    REQUIRE(joined->notes.size() == 1);
    CHECK(joined->notes[0].find("make those of 2 arguments exact") != std::string::npos);
}

TEST_CASE("a layout that does not give the size of the report is not taken") {
    const std::string larger = replaced(whole_arrays, "f32[32,192]{1,0:T(8,128)}", "f32[32,192]{1,0:T(8,1024)}");
    const std::string smaller = replaced(whole_arrays, "f32[16,64]{1,0:T(8,128)}", "f32[16,64]{1,0:T(8,64)}");
    for (const std::string& each : {larger, smaller}) {
        const auto joined = join({report_part, {file_kind::module, each}});
        REQUIRE(joined);
        CHECK(joined->arguments[0].size.is_exact() != joined->arguments[1].size.is_exact());
        CHECK(joined->notes[0].find("make those of 1 argument exact") != std::string::npos);
    }
}

TEST_CASE("whole arrays are divided as their sharding says, with a word, or refused") {
    const auto divided = join({{file_kind::module, whole_arrays}});
    REQUIRE(divided);
    CHECK(divided->arguments[0].size.bytes == 16384);
    CHECK(divided->arguments[1].size.bytes == 8192);
    CHECK(divided->donors.size() == 1);
    REQUIRE(divided->notes.size() == 1);
    CHECK(divided->notes[0].find("2 devices share") != std::string::npos);

    const std::string unstated =
        replaced(replaced(whole_arrays, ", sharding={replicated}", ""), ", sharding={devices=[2,1]<=[2]}", "");
    const auto refused = join({{file_kind::module, unstated}});
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message().starts_with("folder/module.txt: found whole arrays that 2 devices share"));
    CHECK(refused.error().expected.find("-buffer-assignment.txt") != std::string::npos);

    const auto config = join({{file_kind::config, dump_samples::config_text}});
    REQUIRE_FALSE(config);
    CHECK(config.error().found.find("whole arrays") != std::string::npos);
}

TEST_CASE("an argument without a sharding has bounds, and is named") {
    const std::string text = replaced(whole_arrays, ", sharding={replicated}", ", metadata={op_name=\"batch\"}");
    const auto program = join({{file_kind::module, text}});
    REQUIRE(program);
    REQUIRE(program->arguments.size() == 2);
    CHECK(program->arguments[0].size.is_exact());
    // f32[16,64] in tiles of 8 x 128: 8 KiB as a whole, half of it on one of two devices.
    CHECK(program->arguments[1].size == rounded_size{8192, 4096, 8192});
    bool is_named = false;
    for (const std::string& note : program->notes)
        is_named = is_named || note == "the sharding of argument 1 (f32[16,64], batch) is not stated: one device holds "
                                       "4.0K to 8.0K, and the larger size counts";
    CHECK(is_named);
}

TEST_CASE("outputs without a sharding take that of a donor of their shape") {
    const std::string text = replaced(whole_arrays, "add(%a, %a), sharding={devices=[2,1]<=[2]}", "add(%a, %a)");
    const auto program = join({{file_kind::module, text}});
    REQUIRE(program);
    CHECK(program->knows_outputs);
    REQUIRE(program->outputs.size() == 1);
    CHECK(program->outputs[0].size == rounded_size{16384, 16384, 16384});
    const std::vector<step_pair> pairs = pair_steps(*program, donation_choice::as_is);
    CHECK(pairs[0].argument == 0);
    CHECK(pairs[0].is_donated);
    const auto without = join({{file_kind::module, replaced(text, "buffer_donor={ (0, {}) }, ", "")}});
    REQUIRE(without);
    CHECK_FALSE(without->knows_outputs);
}

TEST_CASE("several modules in one file: the first is read, and a note names the next") {
    const auto program = join({{file_kind::module, std::string(dump_samples::module_text) + "HloModule jit_other\n"}});
    REQUIRE(program);
    CHECK(program->notes.front() ==
          "module.txt holds 2 modules; this is the first, jit_step. The next is jit_other: bring "
          "each in a file of its own");
}

TEST_CASE("files that disagree are named with both numbers") {
    const std::string other = replaced(dump_samples::report_text, "size 1.0KiB, constant", "size 3.0KiB, constant");
    const auto joined = join({assignment_part, {file_kind::report, other}});
    REQUIRE(joined);
    REQUIRE(joined->notes.size() == 1);
    CHECK(joined->notes[0] ==
          "the files disagree on the bytes of constants: 1,024 in assignment.txt, which counts, and "
          "3,072 in report.txt; are they of the same program and build?");

    const std::string smaller =
        replaced(dump_samples::module_text, "f32[16,64]{1,0:T(8,128)})->", "f32[8,64]{1,0:T(8,128)})->");
    const auto with_module = join({assignment_part, {file_kind::module, smaller}});
    REQUIRE(with_module);
    REQUIRE(with_module->notes.size() == 1);
    CHECK(with_module->notes[0].find("24,576 in assignment.txt, which counts, and 20,480 in module.txt") !=
          std::string::npos);
}

TEST_CASE("a file that was cut gives way to another, or is refused with the place") {
    const std::string_view cut = dump_samples::assignment_text.substr(0, 600);
    const auto other = join({{file_kind::assignment, cut}, report_part});
    REQUIRE(other);
    CHECK(other->temporary->bytes == 65536);
    CHECK_FALSE(other->temporary->is_exact());
    const auto alone = join({{file_kind::assignment, cut}});
    REQUIRE_FALSE(alone);
    CHECK(alone.error().message().find("assignment.txt:9:1: found the end of a file that was cut") !=
          std::string::npos);
}

TEST_CASE("a second file of a kind, and a file that is about no program, are refused") {
    xla::program_files files;
    REQUIRE_FALSE(xla::add_file(files, file_kind::report, dump_samples::report_text, "a"));
    const auto second = xla::add_file(files, file_kind::report, dump_samples::report_text, "b");
    REQUIRE(second);
    CHECK(second->message() == "b: found a second memory usage report, expected one for each program; the first is a");
    const auto message = xla::add_file(files, file_kind::message, "RESOURCE_EXHAUSTED", "c");
    REQUIRE(message);
    CHECK(message->expected.starts_with("a file of an XLA dump"));
}

}  // namespace hbm::test::join_program_tests
