#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/read_error.hpp"
#include "compare/replay/trace_helpers.hpp"
#include "pprof_sample.hpp"
#include "support/golden_text.hpp"

namespace hbm::test::pprof_tests {

namespace {

using namespace hbm::imported;

/// Returns the rows of a device and the notes on them, or the error.
std::string traced(const std::string& bytes, std::string_view device = {}) {
    try {
        const hbm::trace::workload made = trace_of(read_pprof(bytes, "memory.prof"), "memory.prof", device);
        std::string text = ::in_words(made) + "\n";
        for (const std::string& note : made.notes) text += "note: " + note + "\n";
        return text;
    } catch (const hbm::trace::read_error& error) {
        return std::string(error.what()) + "\n";
    }
}

void check_text(const char* section, const std::string& text) {
    CHECK(text == golden_text("compare/read/profiles.txt", section, text));
}

TEST_CASE("profile: its description and the trace of each device are those of the golden file") {
    const std::string bytes = sample::small_profile();
    hbm::json_writer json;
    write_description(json, "memory.prof", describe(read_pprof(bytes, "memory.prof")));
    std::string text = json.text() + "\n";
    for (const std::string device : {"", "TPU_0", "TPU_1(process=0,(0,0,0,1))", "TPU_2"})
        text += "device '" + device + "': " + traced(bytes, device);
    check_text("a small profile", text);
    const auto read = read_pprof(bytes, "memory.prof");
    CHECK_FALSE(profile_sample_bytes(read.samples[3]));  // -1 each
    CHECK_FALSE(profile_sample_bytes(read.samples[4]));  // 0 each
    CHECK(profile_sample_bytes(read.samples[5]) == 0);   // an array without elements
}

TEST_CASE("profile: older profiles name devices by number, and each stays its own") {
    using namespace sample;
    pprof profile = jax_profile();
    const auto label = [&](const char* key, unsigned number, std::uint64_t value) {
        return bytes_field(3, number_field(1, profile.text(key)) + number_field(number, value));
    };
    for (const std::uint64_t device : {std::uint64_t{0}, std::uint64_t{1}})
        profile.body += bytes_field(2, bytes_field(2, varint(1) + varint(1024 * (device + 1))) +
                                           label("kind", 2, profile.text("buffer")) + label("device", 3, device));
    check_text("numbers of devices", traced(profile.bytes()) + traced(profile.bytes(), "1"));
}

TEST_CASE("profile: sizes that no file of JAX has, and profiles that are none") {
    using namespace sample;
    pprof thirds = jax_profile();
    thirds.sample(3, 1000, "buffer", "cuda:0", {});
    pprof large = thirds;
    large.sample(0, 77, "buffer", "cuda:0", {});
    large.sample(1, std::int64_t{9'223'372'036'854'775'807}, "buffer", "cuda:0", {});
    pprof many = thirds;
    many.sample(std::uint64_t{1} << 40U, 1, "buffer", "cuda:0", {});
    pprof negative = jax_profile();
    negative.sample(~std::uint64_t{0}, 5, "buffer", "cuda:0", {});
    pprof cpu;
    cpu.type("samples", "count").type("cpu", "nanoseconds");
    pprof lost = jax_profile();
    lost.sample(1, 1, "buffer", "d", {77});
    pprof twice = jax_profile();
    twice.frame("f", "f.py", 1);
    twice.functions = 0;
    twice.frame("g", "f.py", 1);
    pprof valueless = jax_profile();
    valueless.body += bytes_field(2, number_field(2, 5));
    const std::string lost_string = jax_profile().bytes() + bytes_field(1, number_field(1, 1000));
    std::string text;
    for (const std::string& bytes :
         {thirds.bytes(), large.bytes(), many.bytes(), negative.bytes(), jax_profile().bytes(), std::string(),
          cpu.bytes(), std::string("\x0a"), std::string("\x0a\x7f"), std::string("\x0b"), std::string(1, '\0'),
          "\x08" + std::string(10, '\xff'), lost.bytes(), twice.bytes(), lost_string, valueless.bytes(),
          std::string(5 << 20, 'x')})
        text += traced(bytes);
    check_text("sizes and errors", text);
}

TEST_CASE("names become tags") {
    sample::pprof made = sample::jax_profile();
    const auto call = made.frame("std::f(int, long)\n", "a,b.cpp", 7);
    const auto nothing = made.frame("??", "", 0);
    made.sample(1, 1, "buf,fer", "d", {nothing, call});
    CHECK(traced(made.bytes()) == "alloc buffer1 1 #buf;fer std::f(int; long)? (a;b.cpp:7); \n");
    CHECK(tag_of(stack_frame{std::string_view("\xc3\xa9"), "", 0}) == "\xc3\xa9");
    const std::string accents = "x" + std::string(100, '\xc3');
    CHECK(tag_of(stack_frame{accents, "", 0}).size() == 80);
    std::string two_bytes = "xx";
    for (int i = 0; i < 60; ++i) two_bytes += "\xc3\xa9";
    CHECK(tag_of(stack_frame{two_bytes, "", 0}).size() == 79);  // not in the middle of a character
    CHECK(tag_of(stack_frame{two_bytes, "", 0}).ends_with("\xa9..."));
    const std::string exact(80, 'a');
    CHECK(tag_of(stack_frame{exact, "", 0}) == exact);
    const std::string longer(81, 'a');
    CHECK(tag_of(stack_frame{longer, "", 0}) == std::string(77, 'a') + "...");
}

TEST_CASE("which frame says most") {
    const auto rank = [](std::string_view function, std::string_view file) { return rank_of({function, file, 1}); };
    CHECK(rank("f", "/home/ann/train.py") == frame_rank::own);
    CHECK(rank("f", "train.py") == frame_rank::own);
    CHECK(rank("f", "<ipython-input-3-abc>") == frame_rank::own);
    CHECK(rank("f", "/opt/conda/lib/python3.11/site-packages/flax/core.py") == frame_rank::library);
    CHECK(rank("f", "/opt/conda/lib/python3.11/site-packages/jax/_src/api.py") == frame_rank::framework);
    CHECK(rank("f", "/opt/conda/lib/python3.11/site-packages/torch/nn/functional.py") == frame_rank::framework);
    CHECK(rank("f", "/usr/lib/python3.11/functools.py") == frame_rank::framework);
    CHECK(rank("at::native::empty_cuda", "EmptyTensor.cpp") == frame_rank::native);
    CHECK(rank("torch::unwind::unwind()", "??") == frame_rank::nothing);
    CHECK(rank("??", "??") == frame_rank::nothing);
    CHECK(rank("", "") == frame_rank::nothing);
}

TEST_CASE("unknown fields are skipped by their type") {
    std::string bytes = sample::small_profile();
    bytes += sample::number_field(9, 12345) + sample::bytes_field(100, "any") + sample::varint(11 * 8 + 5) + "1234" +
             sample::varint(12 * 8 + 1) + "12345678" + sample::number_field(6, 3);
    const auto read = read_pprof(bytes, "memory.prof");
    CHECK(read.samples.size() == 6);
}

}  // namespace

}  // namespace hbm::test::pprof_tests
