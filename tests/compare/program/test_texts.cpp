// Whole printed texts, in a golden file for each feature. The name of a section is the command line that prints it: a
// new section needs its name alone, and HBM_WRITE_GOLDEN=1 writes the text below it.

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "compare/program/compare_program.hpp"
#include "compare/read/pprof_sample.hpp"
#include "compare/xla/dump_samples.hpp"
#include "support/golden_text.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::texts_tests {

namespace {

/// Writes the files of inputs.txt: each begins below a line `=== NAME`.
void write_files(const workplace& here) {
    const char* const source = std::getenv("HBM_SOURCE_DIRECTORY");
    const std::string folder = (source != nullptr ? std::string(source) : ".") + "/tests/compare/program/texts/";
    std::filesystem::copy(folder + "prepare.sh", here.at("prepare.sh"));
    std::ifstream lines(folder + "inputs.txt");
    std::map<std::string, std::string> files;
    std::string name;
    for (std::string line; std::getline(lines, line);)
        line.starts_with("=== ") ? name = line.substr(4) : files[name] += line + "\n";
    for (const auto& [path, text] : files) {
        std::filesystem::create_directories(here.at(path).parent_path());
        here.write(path, text);
    }
}

void write_inputs(const workplace& here) {
    write_files(here);
    const std::string stem = "module_0001.jit_step.cl_1.after_optimizations";
    here.write(stem + ".txt", dump_samples::module_text);
    here.write(stem + "-buffer-assignment.txt", dump_samples::assignment_text);
    here.write("memory.prof", sample::small_profile());
    using sample::bytes_field;
    const std::string module = bytes_field(1, "jit_step") + bytes_field(2, "main.9") + sample::number_field(5, 7);
    here.write("step.hlo.pb", bytes_field(1, module));
    here.write("host.xplane.pb", bytes_field(1, sample::number_field(1, 3) + bytes_field(2, "/device:TPU:0")));
    sample::pprof small_blocks = sample::jax_profile();
    small_blocks.sample(1000, 8000, "buffer", "TPU_0", {small_blocks.frame("init", "train.py", 3)});
    here.write("small_blocks.prof", small_blocks.bytes());
    const ending prepared = here.shell(". ./prepare.sh 2>stderr");
    REQUIRE_MESSAGE(prepared.status == 0, prepared.err);
}

/// Returns what a command prints: the arguments of the program, or behind `$ ` a line of shell, `$COMPARE` in it.
std::string printed(const workplace& here, const std::string& arguments) {
    const bool is_line = arguments.starts_with("$ ");
    const ending ended =
        is_line ? here.shell("{ " + arguments.substr(2) + "; } >stdout 2>stderr") : here.run(arguments);
    if (ended.err.empty()) return ended.out;
    return ended.out + "status " + std::to_string(ended.status) + ", " + ended.err;
}

void check_sections(const workplace& here, const std::string& feature) {
    const std::string file = "compare/program/texts/" + feature + ".txt";
    for (const std::string& command : golden_sections(file)) {
        CAPTURE(command);
        const std::string text = printed(here, command);
        CHECK(text == golden_text(file, command, text));
        if (command.ends_with("--format json") && text.starts_with("{")) CHECK(is_valid_json(text));
    }
}

}  // namespace

TEST_CASE("texts: every command prints the text of its golden file") {
    const workplace here;
    write_inputs(here);
    for (const char* const feature : {"growth", "tables", "failures", "programs", "errors", "serving", "modules",
                                      "files", "figures", "usage", "runs"})
        check_sections(here, feature);
}

}  // namespace hbm::test::texts_tests
