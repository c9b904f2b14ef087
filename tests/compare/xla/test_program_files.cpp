// Names of the files of a dump.

#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "compare/read/xla/program_files.hpp"

namespace hbm::test::program_files_tests {

using namespace hbm::imported;

TEST_CASE("names of a dump's files have a stem in common") {
    const auto stem = [](std::string_view name) {
        const auto parts = read_dump_name(name);
        return parts ? std::string(parts->stem) : std::string("none");
    };
    CHECK(stem("module_0023.jit_f.cl_804.after_optimizations.txt") == "module_0023.jit_f.cl_804.");
    CHECK(stem("module_0023.jit_f.cl_804.after_optimizations-buffer-assignment.txt") == "module_0023.jit_f.cl_804.");
    CHECK(stem("module_0007.f.7.sm_8.0_gpu_after_optimizations.txt") == "module_0007.f.7.");
    CHECK(stem("module_0007.f.7.cpu_after_optimizations-buffer-assignment.txt.gz") == "module_0007.f.7.");
    CHECK(stem("module_0007.f.7.cpu_after_optimizations-memory-usage-report.txt") == "none");
    CHECK(stem("module_0007.f.7.before_optimizations.txt") == "module_0007.f.7.");
    CHECK(stem("module_0007.f.7.ptx") == "none");
    CHECK(stem("after_optimizations.txt") == "none");
    CHECK(stem("module_0007.f.sm_x_gpu_after_optimizations.txt") == "module_0007.f.sm_x_");
    CHECK(read_dump_name("m.after_optimizations.txt")->part == dump_part::optimized);
    CHECK(read_dump_name("m.before_optimizations.txt")->part == dump_part::unoptimized);
    CHECK(program_name("module_0023.jit_f.cl_804.") == "jit_f");
    CHECK(program_name("module_0007.f.7.") == "f.7");
    CHECK(program_name("x") == "x");
}

}  // namespace hbm::test::program_files_tests
