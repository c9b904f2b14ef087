// --serve: the largest KV pool that leaves all programs of a server room.

#include <hbm/core/bytes.hpp>
#include <hbm/tpu/managers.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

#include "compare/program/compare_program.hpp"
#include "compare/read/pprof_sample.hpp"
#include "compare/xla/dump_samples.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::serve_tests {

namespace {

/// Program as its dump has it, for a replay that shares no code with the answer.
struct dumped_program {
    std::string name;
    std::uint64_t code = 0;
    std::uint64_t scratch = 0;
    std::uint64_t argument = 0;  ///< not donated
    std::uint64_t output = 0;    ///< in new memory
};

/// Writes the buffer assignment of a program of one argument and one output.
void write_dump(const workplace& here, const std::string& folder, const dumped_program& program, int number) {
    std::filesystem::create_directories(here.at(folder));
    const auto line = [](const char* start, std::uint64_t bytes, const std::string& rest) {
        return start + std::to_string(bytes) + rest + "\n";
    };
    std::string text = "BufferAssignment:\n";
    text += line("allocation 0: size ", program.argument,
                 ", parameter 0, shape |u8[" + std::to_string(program.argument) + "]| at ShapeIndex {}:");
    text += line(" value: <0 p @0> (size=", program.argument, ",offset=0): u8[8]{0}");
    text += line("allocation 1: size ", program.output,
                 ", output shape is |u8[" + std::to_string(program.output) + "]|, maybe-live-out:");
    text += line(" value: <1 o @0> (size=", program.output, ",offset=0): u8[8]{0}");
    text += line("allocation 2: size ", program.code, ", constant:");
    text += line("allocation 3: size ", program.scratch, ", preallocated-temp:");
    const std::uint64_t total = program.argument + program.output + program.code + program.scratch;
    text += line("\nTotal bytes used: ", total, " (1KiB)");
    text += "\nUsed values:\n<0 p @0>\n positions:\n  p\n uses:\n<1 o @0>\n positions:\n  o\n uses:\n";
    here.write(folder + "/module_000" + std::to_string(number) + "." + program.name +
                   ".cl_1.after_optimizations-buffer-assignment.txt",
               text);
}

/// Returns the bytes of the first size in the answer that follows `words`, as in `12.0K (12,288 bytes)`.
std::uint64_t bytes_after(const std::string& text, const std::string& words) {
    const std::size_t at = text.find(words);
    REQUIRE(at != std::string::npos);
    std::uint64_t bytes = 0;
    for (std::size_t digit = text.find(" (", text.find(" (", at) + (words.ends_with(")") ? 1 : 0)) + 2;
         text[digit] != ' '; ++digit)
        if (text[digit] != ',') bytes = bytes * 10 + static_cast<std::uint64_t>(text[digit] - '0');
    return bytes;
}

/// Returns true if a manager loads all programs next to weights and pool, and runs each if `runs`.
bool is_served(const memory_spec& device, std::uint64_t weights, std::uint64_t pool,
               const std::vector<dumped_program>& programs, bool runs) {
    tpu::runtime_memory memory{device};
    if (!memory.allocate(weights, "weights") || !memory.allocate(pool, "pool")) return false;
    std::vector<hbm::program> loaded;
    for (const dumped_program& program : programs) {
        const auto handle =
            memory.load({.name = program.name.c_str(), .code = program.code, .scratch = program.scratch});
        if (!handle) return false;
        loaded.push_back(*handle);
    }
    for (std::size_t at = 0; runs && at < programs.size(); ++at) {
        const auto ran = memory.run(loaded[at], {.outputs = {programs[at].output}});
        if (!ran) return false;
        for (const buffer output : ran->outputs)
            if (!memory.free(output)) return false;
    }
    return memory.done_so_far().evictions == 0;
}

void check_columns(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) CHECK_MESSAGE(line.size() <= 80, line);
}

const std::vector<dumped_program> three_programs{
    {"jit_prefill", 70'001, 400'000, 250'000, 20'000},
    {"jit_decode", 30'000, 90'000, 250'000, 1'000},
    {"jit_sample", 100, 0, 4'096, 512},
};

}  // namespace

TEST_CASE("serve: all programs load and run next to its pool in the runtime's memory, and not with 1 % more") {
    const workplace here;
    for (std::size_t at = 0; at < three_programs.size(); ++at)
        write_dump(here, "dump", three_programs[at], static_cast<int>(at));
    for (const std::uint64_t capacity : {2_MiB, 3_MiB, 1_GiB}) {
        const memory_spec device{.capacity = capacity};
        for (const std::uint64_t weights : {std::uint64_t{1'000}, std::uint64_t{512'000}, std::uint64_t{777'777}}) {
            const ending done = here.run("--serve dump --weights " + std::to_string(weights) + " --capacity " +
                                         std::to_string(capacity));
            CAPTURE(done.out);
            CHECK(done.status == 0);
            check_columns(done.out);
            const std::uint64_t pool = bytes_after(done.out, "Largest pool on a device of ");
            CHECK(is_served(device, weights, pool, three_programs, true));
            CHECK_FALSE(is_served(device, weights, pool + pool / 100, three_programs, true));
            const std::uint64_t loaded = bytes_after(done.out, "load next to a pool of");
            CHECK(is_served(device, weights, loaded, three_programs, false));
            CHECK_FALSE(is_served(device, weights, loaded + loaded / 100, three_programs, false));
        }
    }
}

TEST_CASE("serve: names the pool, the program that needs the most, the flags, the order and the next device") {
    const workplace here;
    write_dump(here, "dump", {"jit_step", 1 << 20, std::uint64_t{3} << 30, std::uint64_t{5} << 30, 0}, 1);
    const ending done = here.run("--serve dump --weights 5GiB --capacity v5e");
    CHECK(done.err.empty());
    // 15.75 - 5 - 3 GiB and 1 MiB of constants; (5 + 7.7490) / 15.75 = 0.8095.
    CHECK(done.out.starts_with("Largest pool on TPU v5e (15.75G): 7.75G (8,320,450,560 bytes), next to 5.00G of\n"
                               "weights and 1 program.\n"
                               "jit_step needs the most: 3.00G of scratch.\n"
                               "\n"
                               "Set one of these first:\n"
                               "  vLLM    --gpu-memory-utilization 0.809\n"
                               "  SGLang  --mem-fraction-static 0.809\n"));
    CHECK(done.out.find("  1. jit_step: 3.00G of scratch, 1.00M of code and constants\n  2. the weights\n") !=
          std::string::npos);
    // 30.75 GiB of v4, to the byte, less the same 8 GiB and 1 MiB.
    CHECK(done.out.find("Next larger device, TPU v4 (30.75G): a pool of 22.75G (24,423,432,192 bytes),\nset as") !=
          std::string::npos);
    CHECK(done.out.find("Note: the code of 1 program is unknown") != std::string::npos);
    check_columns(done.out);
    const ending code = here.run("--serve dump:code=1GiB --weights 5GiB --capacity v5e");
    CHECK(code.out.starts_with("Largest pool on TPU v5e (15.75G): 6.75G (7,246,708,736 bytes)"));
    CHECK(code.out.find("Note: the code") == std::string::npos);
}

TEST_CASE("serve: takes as weights the arguments of a program without those it donates, or a profile") {
    const workplace here;
    std::filesystem::create_directories(here.at("dump"));
    here.write("dump/module_0001.jit_step.cl_1.after_optimizations-buffer-assignment.txt",
               dump_samples::assignment_text);
    for (const char* weights : {"", " --weights jit_step"}) {
        const ending done = here.run(std::string("--serve dump --capacity 1MiB") + weights);
        CHECK(done.out.find("     8.0K  weights: arguments of jit_step that it does not donate\n") !=
              std::string::npos);
        CHECK(done.out.find("Note: jit_step donates 16.0K of arguments, the KV cache for which it was\ncompiled if") !=
              std::string::npos);
    }
    const ending wrong = here.run("--serve dump --weights jit_stop");
    CHECK(wrong.status == 2);
    CHECK(wrong.err.find("--weights: found `jit_stop`, expected a size such as 14.2GiB, the path of a memory profile "
                         "of JAX, or the name of a program; did you mean `jit_step`?") != std::string::npos);
}

TEST_CASE("serve: says first whose arguments are taken as weights, and takes none of a program of JAX") {
    const workplace here;
    write_dump(here, "dump", {"jit_step", 512, 512, 4096, 0}, 1);
    write_dump(here, "dump", {"jit__identity_fn", 512, 512, 65536, 0}, 2);
    CHECK(here.run("--serve dump --capacity 1MiB")
              .out.starts_with("If the arguments of jit_step are the weights (4.0K), the largest pool on a\n"));
    CHECK(here.run("--serve dump --capacity 1MiB --weights 4KiB").out.starts_with("Largest pool on "));
    write_dump(here, "other", {"jit__identity_fn", 512, 512, 65536, 0}, 2);
    write_dump(here, "other", {"jit__threefry_fold_in", 512, 512, 65536, 0}, 3);
    CHECK(here.refusal("--serve other --capacity 1MiB")
              .find("found no program whose arguments may be weights: helpers of JAX, or less than a thousandth of the "
                    "device; expected --weights SIZE") != std::string::npos);
    CHECK(here.refusal("--serve dump --capacity v5e").find("expected --weights SIZE") != std::string::npos);
}

TEST_CASE("serve: as JSON, with the pool, its flags' value, the programs in the order to load, and the next device") {
    const workplace here;
    write_dump(here, "dump", {"jit_step", 1 << 20, std::uint64_t{3} << 30, std::uint64_t{5} << 30, 0}, 1);
    const std::string json = here.run("--serve dump --weights 5GiB --capacity v5e --format json").out;
    CHECK(is_valid_json(json));
    CHECK(json.starts_with("{\"schema\":\"hbm-serve/1\",\"device\":\"v5e\",\"capacity_bytes\":16911433728,"
                           "\"is_assumed\":false,\"weights_bytes\":5368709120,\"weights\":\"from --weights\","
                           "\"pool_bytes\":8320450560,\"utilization\":0.809,\"missing_bytes\":0,"
                           "\"pool_excess_bytes\":null,\"programs\":[{\"name\":\"jit_step\",\"has_failed\":false,"
                           "\"scratch_bytes\":3221225472,\"code_bytes\":1048576,\"missing_bytes\":null}],"
                           "\"next_device\":{\"device\":\"v4\","));
    here.write("one.log", "RESOURCE_EXHAUSTED: Error loading program 'jit_prefill': Attempting to reserve 400.00M at "
                          "the bottom of memory. That was not possible. There are 390.00M free, 100.00M reserved, and "
                          "250.00M reservable.\n");
    const std::string failed = here.run("--serve one.log --format json").out;
    CHECK(is_valid_json(failed));
    CHECK(failed.find("\"is_assumed\":true,\"weights_bytes\":null,\"weights\":null,\"pool_bytes\":null,"
                      "\"utilization\":null,\"missing_bytes\":null,\"pool_excess_bytes\":5244") != std::string::npos);
    CHECK(failed.find("\"has_failed\":true,\"scratch_bytes\":4194") != std::string::npos);
}

TEST_CASE("serve: says by how much the pool of failed starts was too large, from their logs") {
    const workplace here;
    here.write("one.log", "RESOURCE_EXHAUSTED: Error loading program 'jit_prefill': Attempting to reserve 400.00M at "
                          "the bottom of memory. That was not possible. There are 390.00M free, 100.00M reserved, and "
                          "250.00M reservable.\n");
    here.write("two.log", "RESOURCE_EXHAUSTED: Error loading program 'jit_decode': Attempting to allocate 30.00M. That "
                          "was not possible. There are 10.00M free.\n");
    const ending done = here.run("--serve one.log two.log --capacity v5e");
    CHECK(done.status == 0);
    // 400 - 100 - 250 = 50 MiB, with what two decimals leave open; 50 of 16128 MiB are 3.1 thousandths.
    CHECK(done.out.starts_with("The pool was 50.0"));
    CHECK(done.out.find("jit_prefill needs the most, and did not load.\n") != std::string::npos);
    CHECK(done.out.find(" by\n0.004, or by more") != std::string::npos);
    check_columns(done.out);
    here.write("cut.log",
               "RESOURCE_EXHAUSTED: Error loading program 'jit__multi_slice': Attempting to reserve 6.14G at "
               "the bottom of memory. That was not possible.\n");
    const ending cut = here.run("--serve cut.log");
    CHECK(
        cut.out.starts_with("The pool left jit__multi_slice too little room on TPU v5e (15.75G). The log does\nnot say "
                            "by how much: the message is cut.\n\nBring the whole message first"));
    const ending weights = here.run("--serve one.log two.log --capacity 2GiB --weights 1GiB");
    // 2048 - 1024 - 400 - 30 MiB, less what the decimals leave open.
    CHECK(weights.out.starts_with("Largest pool on a device of 2.00G: 593.9"));
    CHECK(weights.out.find("a log names only the program that failed") != std::string::npos);
}

TEST_CASE("serve: counts the difference to a device that the log is not from") {
    const workplace here;
    here.write(
        "start.log",
        "hbm=[(14.97, 15.75)]Gb\nRESOURCE_EXHAUSTED: Error loading program 'jit_decode': Attempting to reserve "
        "384.11M at the bottom of memory. That was not possible. There are 346.77M free, 0B reserved, and 346.77M "
        "reservable.\n");
    const auto words = [&](const std::string& device) {
        std::string text = here.run("--serve start.log --capacity " + device).out;
        std::replace(text.begin(), text.end(), '\n', ' ');
        return text;
    };
    CHECK(words("v5e").find("First lower") != std::string::npos);
    CHECK(words("v5e").find("That was on a device") == std::string::npos);
    CHECK(words("v5p").find("On TPU v5p (95.74G) a pool of that size leaves the program room.") != std::string::npos);
    CHECK(words("v5p").find("First lower") == std::string::npos);
}

TEST_CASE("serve: says that no pool helps a program that needs more than the device") {
    const workplace here;
    here.write("start.log", "Ran out of memory on HBM, the total memory required for HLO temporaries (37.61G) exceeds "
                            "available HBM (31.25G). HLO module: jit_prefill.\n");
    CHECK(here.run("--serve start.log")
              .out.starts_with("No pool lets jit_prefill load on TPU v6e (31.25G): alone it needs 37.6"));
    here.write("start.log",
               "Error loading program 'jit_step': Attempting to reserve 32.20G at the bottom of memory. That "
               "was not possible. There are 6.63G free, 0B reserved, and 6.63G reservable.\n");
    CHECK(here.run("--serve start.log").out.starts_with("No pool lets jit_step load on TPU v5e (15.75G)"));
    CHECK(here.run("--serve start.log --capacity v5p").out.starts_with("The pool was 25."));
}

TEST_CASE("serve: takes no device that is smaller than the log says is free") {
    const workplace here;
    here.write("large.log", "RESOURCE_EXHAUSTED: Error loading program 'jit_step': Attempting to reserve 51.43G at the "
                            "bottom of memory. That was not possible. There are 46.61G free, 0B reserved, and 46.61G "
                            "reservable.\n");
    // Of the devices known here, the smallest with 46.61G or more is a 7x.
    CHECK(here.run("--serve large.log").out.find("TPU 7x (94.70G)") != std::string::npos);
    CHECK(here.run("--serve large.log").out.find("v5e") == std::string::npos);
    CHECK(here.refusal("--serve large.log --capacity v5e")
              .find("the log says that the device has 46.60G or more, more than --capacity has (15.75G)") !=
          std::string::npos);
    CHECK(
        here.refusal("--serve large.log --weights 5").find("--weights: found 5 bytes, expected a size with its unit") !=
        std::string::npos);
}

TEST_CASE("serve: says what is missing if no pool fits, and what other options cannot be with it") {
    const workplace here;
    write_dump(here, "dump", three_programs[0], 1);
    const ending none = here.run("--serve dump --weights 1MiB --capacity 1MiB");
    CHECK(none.status == 0);
    CHECK(none.out.starts_with("No pool fits on a device of 1.00M: weights and programs alone need "));
    CHECK(here.refusal("--serve dump --manager best_fit").find("--serve cannot be combined with --manager") !=
          std::string::npos);
    CHECK(here.refusal("--serve dump --capacity v5e,v6e").find("--serve needs one --capacity") != std::string::npos);
    CHECK(here.refusal("--serve dump --format csv").find("--serve has the formats table and json") !=
          std::string::npos);
    CHECK(here.refusal("--weights 1GiB").find("--weights: found no --serve") != std::string::npos);
    std::filesystem::create_directories(here.at("empty"));
    CHECK(here.refusal("--serve empty").find("empty: found a folder without a program of an XLA dump") !=
          std::string::npos);
    here.write("shortage.log", "Error allocating device buffer: Attempting to allocate 8.00M. That was not possible. "
                               "There are 6.43M free.; (0x0x1_HBM0)\n");
    CHECK(here.refusal("--serve shortage.log").find("shortage.log: found no failed load of a program") !=
          std::string::npos);
}

}  // namespace hbm::test::serve_tests
