// --serve: the largest KV pool that leaves all programs of a server room.

#include <hbm/core/bytes.hpp>
#include <hbm/tpu/managers.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "compare/program/compare_program.hpp"

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

/// Returns the bytes of a fact of the answer in JSON.
std::uint64_t bytes_of(const std::string& json, const std::string& key) {
    const std::size_t at = json.find("\"bytes\":", json.find("\"key\":\"" + key + "\""));
    REQUIRE(at != std::string::npos);
    return std::stoull(json.substr(at + 8));
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
                                         std::to_string(capacity) + " --format json");
            CAPTURE(done.out);
            CHECK(done.status == 0);
            const std::uint64_t pool = bytes_of(done.out, "pool_bytes");
            CHECK(is_served(device, weights, pool, three_programs, true));
            CHECK_FALSE(is_served(device, weights, pool + pool / 100, three_programs, true));
            const std::uint64_t loaded = bytes_of(done.out, "loaded_pool_bytes");
            CHECK(is_served(device, weights, loaded, three_programs, false));
            CHECK_FALSE(is_served(device, weights, loaded + loaded / 100, three_programs, false));
        }
    }
}

}  // namespace hbm::test::serve_tests
