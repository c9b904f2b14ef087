// Whole printed texts, in a golden file for each feature. The name of a section is the command line that prints it: a
// new section needs its name alone, and HBM_WRITE_GOLDEN=1 writes the text below it.

#include <doctest/doctest.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#include "compare/program/compare_program.hpp"
#include "compare/xla/dump_samples.hpp"
#include "support/golden_text.hpp"

namespace hbm::test::texts_tests {

namespace {

/// Returns a trace of `steps` steps, each with a batch and a tensor of a quantum that is kept.
std::string leaking(std::uint64_t steps, const std::string& tag) {
    std::string text = "op,id,bytes,tag\nalloc,w,102400,weights\n";
    for (std::uint64_t step = 0; step < steps; ++step)
        text += "alloc,x,51200,batch\nalloc,l" + std::to_string(step) + ",100," + tag + "\nfree,x,,\nsync,,,\n";
    return text;
}

/// Returns a trace without marks, in which the rows of a layer repeat.
std::string layers(std::uint64_t count) {
    std::string text = "op,id,bytes,tag\n";
    for (std::uint64_t layer = 0; layer < count; ++layer)
        text += "alloc,x,512,work\nalloc,y,4096,work\nalloc,k" + std::to_string(layer) + ",1024,\nfree,x,,\nfree,y,,\n";
    return text;
}

std::string message_of_batch(const std::string& used, const std::string& temporaries) {
    return "RESOURCE_EXHAUSTED: XLA:TPU compile permanent error. Ran out of memory in memory space hbm. Used " + used +
           " of 15.75G hbm. Exceeded hbm capacity by 1.00M.\n\nTotal hbm usage >= " + used +
           ":\n    reserved          0B \n    program " + temporaries +
           " \n    arguments 3.91G \n\nProgram hbm requirement " + temporaries + ":\n    HLO temp " + temporaries +
           " (97.4% utilization: Unpadded (" + temporaries + ") Padded (" + temporaries +
           "), 0.4% fragmentation (1.00M))\n";
}

/// Writes the files of inputs.txt: each begins below a line `=== NAME`.
void write_files(const workplace& here) {
    const char* const source = std::getenv("HBM_SOURCE_DIRECTORY");
    std::ifstream lines((source != nullptr ? std::string(source) : ".") + "/tests/compare/program/texts/inputs.txt");
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
    here.write("leak.csv", leaking(100, "log"));
    here.write("no_tag.csv", leaking(10, ""));
    here.write("instant.csv", "op,id,bytes,tag\nalloc,a,512,small\nalloc,b,4000,large\nalloc,c,512,small\n");
    here.write("layers.csv", layers(60));
    here.write("order.csv", "step,bytes_in_use\n1,100\n3,100\n3,200\n2,100\n4,\n");
    here.write("reuse.csv", "op,id,bytes\nalloc,a,1024\nalloc,b,1\nfree,a,\nalloc,c,512\nalloc,d,513\n");
    here.write("empty.csv", "op,id,bytes\n");
    here.write("large.csv", "op,id,bytes\nalloc,a,4096\nalloc,b,4096\n");
    here.write("small.csv", "op,id,bytes\nalloc,a,4096\n");
    here.write("gap.csv", "op,id,bytes,tag\nalloc,a,1024,weights\nalloc,b,1024,\nalloc,c,1024,cache\nfree,b,,\n"
                          "alloc,d,1536,new\n");
    here.write("moves.csv", "op,id,bytes\nalloc,a,1024\nalloc,b,1024\nalloc,c,1024\nfree,b,\nalloc,d,2560\n");
    here.write("turn.csv", "op,id,bytes\nalloc,a,4096\nfree,a,\nalloc,b,4096\n");
    here.write("load.csv", "op,id,bytes\nload,p,512\n");
    here.write("import.csv", "op,id,bytes,offset\nalloc,a,1024\nimport,b,1024,0\n");
    here.write("far.csv", "op,id,bytes,offset\nimport,b,1024,8192\n");
    here.write("code.csv", "op,id,bytes,offset\nload,p,1024\nimport,b,512,0\n");
    here.write("huge.csv", "op,id,bytes\nalloc,a,9007199254740992\n");
    here.write("rmm.csv",
               "Thread,Time,Action,Pointer,Size,Stream\n0,1,allocate,0x10,512,0\n0,2,allocate failure,0x0,9,0\n");
    here.write("sweep.txt", "workload slow_leak:steps=2\n");
    here.write("bad.csv", "op,id,bytes\nalloc,a,12\nfree,b,\n");
    const std::string stem = "module_0001.jit_step.cl_1.after_optimizations";
    here.write(stem + ".txt", dump_samples::module_text);
    here.write(stem + "-buffer-assignment.txt", dump_samples::assignment_text);
    here.write(stem + "-memory-usage-report.txt", dump_samples::report_text);
    here.write("step.txt", dump_samples::module_text);
    // a and b take the same place one after the other; c could lie above them, and XLA puts it far higher.
    here.write("peak-buffer-assignment.txt",
               "BufferAssignment:\n"
               "allocation 0: size 1024, parameter 0, shape |f32[256]| at ShapeIndex {}:\n"
               " value: <0 p @0> (size=1024,offset=0): f32[256]{0}\n"
               "allocation 1: size 1024, output shape is |f32[256]|, maybe-live-out:\n"
               " value: <4 out @0> (size=1024,offset=0): f32[256]{0}\n"
               "allocation 2: size 9216, preallocated-temp:\n"
               " value: <1 a.1 @0> (size=2048,offset=0): f32[512]{0}\n"
               " value: <2 b.2 @0> (size=2048,offset=0): f32[512]{0}\n"
               " value: <3 c.3 @0> (size=1024,offset=8192): f32[256]{0}\n"
               "\nTotal bytes used: 11264 (11.0KiB)\n\nUsed values:\n"
               "<0 p @0>\n positions:\n  p\n uses:\n"
               "<4 out @0>\n positions:\n  out\n uses:\n"
               "\nHloLiveRange (max 5):\n  InstructionSequence:\n    0:p\n    1:a.1\n    2:b.2\n    3:c.3\n    4:out\n"
               "  BufferLiveRange:\n    p{}:0-5\n    a.1{}:1-2\n    b.2{}:2-4\n    c.3{}:3-4\n    out{}:4-5\n"
               "  Live ranges at 3 (peak):\n    b.2{}: 2048 bytes (cumulative: 2048 bytes)\n");
    std::filesystem::create_directory(here.at("damaged"));
    here.write("damaged/module_0002.jit_none.cl_1.after_optimizations.txt", "HloModule jit_none\n");
    here.write("damaged/module_0003.jit_half.cl_1.after_optimizations.txt", dump_samples::module_text);
    here.write("damaged/module_0003.jit_half.cl_1.after_optimizations-buffer-assignment.txt",
               "BufferAssignment:\nnonsense\n");
    here.write("whole.txt", "HloModule m, entry_computation_layout={(f32[8]{0})->f32[8]{0}}, num_partitions=4\n"
                            "\nENTRY %main (p: f32[8]) -> f32[8] {\n  ROOT %p = f32[8]{0} parameter(0)\n}\n");
    here.write("24.log", message_of_batch("20.31G", "16.41G"));
    here.write("32.log", message_of_batch("25.78G", "21.88G"));
    here.write("16.log", message_of_batch("20.40G", "16.50G"));
    here.write("8.log", message_of_batch("20.31G", "16.41G"));
    here.write("t4.log", "RESOURCE_EXHAUSTED: Error loading program 'jit_step': Attempting to reserve 12.00G at the "
                         "bottom of memory. That was not possible. There are 8.00G free, 0B reserved, and 8.00G "
                         "reservable.");
    here.write("t8.log", "RESOURCE_EXHAUSTED: Ran out of memory on HBM, the total memory required for HLO temporaries "
                         "(20.00G) exceeds available HBM (15.75G). HLO module: jit_step.");
    const auto replay = [&](const std::string& arguments) {
        return here.run("--rounds 0 --variants 0 --manager best_fit --manager buddy " + arguments).status;
    };
    CHECK(replay("--trace moves.csv --save moves.json") == 0);
    CHECK(replay("--workload uniform_churn:operations=200 --seed 1,2 --shard 1/3 -o 1.json") == 0);
    CHECK(replay("--workload uniform_churn:operations=200 --seed 1,2 --shard 2/3 -o 2.json") == 0);
    CHECK(replay("--workload uniform_churn:operations=200 --seed 1,3 --shard 3/3 -o other.json") == 0);
    CHECK(replay("--workload uniform_churn:operations=200 --seed 1,2 --shard 3/4 -o count.json") == 0);
    CHECK(replay("--trace moves.csv --shard 1/2 -o moved.json") == 0);
    CHECK(replay("--trace moves.csv --shard 2/2 -o other_moved.json") == 0);
    CHECK(replay("--trace moves.csv --shard 1/1 -o one.json") == 0);
    CHECK(replay("--trace moves.csv --capacity 4K --save fails.json") == 0);
    CHECK(replay("--trace moves.csv --snapshot moves.pickle --pprof moves.prof") == 0);
    // Stored results with another text in them.
    for (const auto& [from, change, to] : std::initializer_list<std::array<const char*, 3>>{
             {"2.json", "s/\"version\":\"/&9./", "version.json"},
             {"2.json", "s/\"managers\":\".../\"managers\":\"000/", "managers.json"},
             {"2.json", "3d", "short.json"},
             {"2.json", "s/\"moves\":[0-9]*,//", "keys.json"},
             {"other_moved.json", "s/2b9634/000000/", "digest.json"},
             {"one.json", "s/\"version\":\"/&9./", "one_version.json"},
             {"one.json", "s/\"managers\":\".../\"managers\":\"000/", "one_managers.json"},
             {"one.json", "s/moves.csv/small.csv/", "one_input.json"},
             {"one.json", "s/moves.csv/gone.csv/", "one_gone.json"},
             {"one.json", "s/\"moves\":[0-9]*/\"moves\":-1/", "one_figure.json"},
             {"moves.json", "s/\"buddy\"/\"best_fit\"/", "twice.json"},
             {"moves.json", "s/\"moves\":[0-9]*/\"moves\":\"x\"/", "text.json"},
             {"moves.json", "s/\"moves\":[0-9]*/\"moves\":99999999999999999/", "many.json"},
             {"moves.json", "s/\"completed\":true/\"completed\":false/", "failed.json"},
             {"fails.json", "s/\"completed\":false/\"completed\":true/", "completed.json"}})
        CHECK(here.shell("sed '" + std::string(change) + "' " + from + " > " + to).status == 0);
    std::string figures = here.read("moves.json");
    const auto change = [&](const std::string& from, const std::string& to) {
        const std::size_t at = figures.find(from);
        REQUIRE_MESSAGE(at != std::string::npos, from);
        figures.replace(at, from.size(), to);
    };
    change("\"footprint_bytes\":5632", "\"footprint_bytes\":4608");
    change("\"peak_live_bytes\":4608", "\"peak_live_bytes\":9999");
    here.write("better.json", figures);
}

std::string printed(const workplace& here, const std::string& arguments) {
    const ending ended = here.run(arguments);
    if (ended.err.empty()) return ended.out;
    return ended.out + "status " + std::to_string(ended.status) + ", " + ended.err;
}

void check_sections(const workplace& here, const std::string& feature) {
    const std::string file = "compare/program/texts/" + feature + ".txt";
    for (const std::string& command : golden_sections(file)) {
        CAPTURE(command);
        const std::string text = printed(here, command);
        CHECK(text == golden_text(file, command, text));
    }
}

}  // namespace

TEST_CASE("texts: every command prints the text of its golden file") {
    const workplace here;
    write_inputs(here);
    for (const char* const feature : {"growth", "tables", "advice", "failures", "sweeps", "programs", "batch", "errors",
                                      "serving", "changes", "modules", "page"})
        check_sections(here, feature);
}

}  // namespace hbm::test::texts_tests
