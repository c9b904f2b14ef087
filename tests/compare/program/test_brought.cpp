// Each file that an answer asks for is one that the program then takes.

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "compare/message/message_samples.hpp"
#include "compare/program/compare_program.hpp"
#include "compare/read/pickle_sample.hpp"
#include "compare/read/pprof_sample.hpp"
#include "compare/xla/dump_samples.hpp"

namespace hbm::test::brought_tests {

namespace {

/// Text without line ends, which answers put between words.
std::string on_one_line(std::string text) {
    for (char& letter : text)
        if (letter == '\n') letter = ' ';
    return text;
}

/// Checks that an answer or error asks for a file by these words.
void check_asks(const workplace& here, const std::string& arguments, const std::string& words) {
    const ending done = here.run(arguments);
    CAPTURE(arguments);
    CAPTURE(words);
    CHECK(on_one_line(done.out + done.err).find(words) != std::string::npos);
}

void check_takes(const workplace& here, const std::string& arguments) {
    const ending done = here.run(arguments);
    CAPTURE(arguments);
    CAPTURE(done.err);
    CHECK(done.status == 0);
    CHECK_FALSE(done.out.empty());
}

}  // namespace

TEST_CASE("brought: a memory profile, and the module of a dump, after a failure of the runtime") {
    const workplace here;
    here.write("LOG", samples::full_device);
    check_asks(here, "--message LOG", "`jax.profiler.save_device_memory_profile('memory.prof')`");
    check_asks(here, "--message LOG", "`hbm_compare --growth --trace memory.prof`");
    here.write("memory.prof", sample::small_profile());
    check_takes(here, "--growth --trace memory.prof");
    check_asks(here, "--message LOG", "`hbm_compare --describe DIR/module_*after_optimizations.txt`");
    std::filesystem::create_directories(here.at("DIR"));
    here.write("DIR/module_0001.jit_step.cl_1.after_optimizations.txt", dump_samples::module_text);
    check_takes(here, "--describe DIR/module_*after_optimizations.txt");
}

TEST_CASE("brought: the module, and memory_analysis(), after a failure of the compiler") {
    const workplace here;
    here.write("LOG", samples::compile);
    check_asks(here, "--message LOG", "`hbm_compare --message LOG --describe FILE`");
    here.write("module_0001.jit_step.after_optimizations.txt", dump_samples::module_text);
    check_takes(here, "--message LOG --describe module_0001.jit_step.after_optimizations.txt");
    check_asks(here, "--message LOG", "`jax.jit(f).lower(...).compile().memory_analysis()`");
    here.write("analysis.txt", "CompiledMemoryStats(generated_code_size_in_bytes=1024, argument_size_in_bytes=4096, "
                               "output_size_in_bytes=512, alias_size_in_bytes=0, temp_size_in_bytes=65536, "
                               "host_generated_code_size_in_bytes=0)\n");
    check_takes(here, "--message analysis.txt");
    check_takes(here, "--describe analysis.txt");
}

TEST_CASE("brought: sizes that a module does not state, for --program and --serve") {
    const workplace here;
    std::filesystem::create_directories(here.at("dump"));
    const std::string stem = "dump/module_0001.jit_step.cl_1.after_optimizations";
    const std::string program = "--program " + stem + ".txt --capacity 1MiB --rounds 0 --manager best_fit";
    here.write(stem + ".txt", dump_samples::module_text);
    for (const std::string& arguments : {program, std::string("--serve dump --capacity 1MiB")}) {
        check_asks(here, arguments, "*after_optimizations-buffer-assignment.txt");
        check_asks(here, arguments, "generated_code_size_in_bytes");
    }
    here.write(stem + "-buffer-assignment.txt", dump_samples::assignment_text);
    CHECK(here.run(program).out.find("temporaries 64.0K") != std::string::npos);
    const ending serve = here.run("--serve dump:code=4KiB --capacity 1MiB");
    CHECK(serve.out.find("64.0K of scratch, 5.0K of code and constants") != std::string::npos);
    CHECK(serve.out.find("is unknown") == std::string::npos);
}

TEST_CASE("brought: text in place of binary files, and a log of memory_stats()") {
    const workplace here;
    using sample::bytes_field;
    here.write("m.hlo.pb", bytes_field(1, bytes_field(1, "jit_step") + sample::number_field(5, 7)));
    here.write("h.xplane.pb", bytes_field(1, bytes_field(2, "/device:TPU:0")));
    check_asks(here, "--program m.hlo.pb", "*-buffer-assignment.txt");
    here.write("a-buffer-assignment.txt", dump_samples::assignment_text);
    check_takes(here, "--program a-buffer-assignment.txt --capacity 1MiB --rounds 0 --manager best_fit");
    check_asks(here, "--trace h.xplane.pb", "a log of memory_stats() for --growth");
    std::string log;
    for (int step = 0; step < 20; ++step)
        log += "step " + std::to_string(step) + " {'bytes_in_use': " + std::to_string(4096 + 512 * step) +
               ", 'bytes_limit': 65536}\n";
    here.write("stats.log", log);
    check_takes(here, "--growth --trace stats.log");
}

TEST_CASE("brought: a snapshot of PyTorch after a message of a GPU") {
    const workplace here;
    here.write("gpu.log", "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.");
    check_asks(here, "--message gpu.log", "hbm_compare --growth --trace snapshot.pickle");
    here.write("snapshot.pickle", sample::small_snapshot());
    check_takes(here, "--growth --trace snapshot.pickle");
}

TEST_CASE("brought: the dump in place of the log of a failed start") {
    const workplace here;
    here.write("LOG", samples::no_scratch);
    check_asks(here, "--serve LOG", "With --weights SIZE, or with the folder of the dump in place of the log");
    check_takes(here, "--serve LOG --weights 1GiB");
    std::filesystem::create_directories(here.at("dump"));
    here.write("dump/module_0001.jit_step.cl_1.after_optimizations-buffer-assignment.txt",
               dump_samples::assignment_text);
    check_takes(here, "--serve dump --capacity 1MiB");
}

}  // namespace hbm::test::brought_tests
