#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "compare/read/csv/read.hpp"
#include "compare/read/jax/memory_profile.hpp"
#include "compare/read/jax/profile_trace.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/read/torch/memory_snapshot.hpp"
#include "compare/read/torch/snapshot_trace.hpp"
#include "pickle_sample.hpp"
#include "pprof_sample.hpp"
#include "support/damaged.hpp"

namespace hbm::test::pprof_tests {

namespace {

using namespace hbm::imported;

std::string message_of(const std::string& bytes) {
    const auto read = read_pprof(bytes, "memory.prof");
    return read ? std::string() : read.error().message();
}

std::string csv_of(const std::string& bytes, std::string_view device = {}) {
    const auto read = read_pprof(bytes, "memory.prof");
    REQUIRE_MESSAGE(read, read.error().message());
    const auto made = trace_of(*read, "memory.prof", device);
    return made ? hbm::trace::to_csv(*made) : made.error().message();
}

TEST_CASE("the samples of a profile") {
    const std::string bytes = sample::small_profile();
    CHECK(recognise(bytes) == file_kind::profile);
    const auto read = read_pprof(bytes, "memory.prof");
    REQUIRE_MESSAGE(read, read.error().message());
    REQUIRE(read->samples.size() == 6);
    CHECK(read->locations == 3);
    CHECK(read->functions == 3);
    const profile_sample& first = read->samples[0];
    CHECK(first.count == 3);
    CHECK(profile_sample_bytes(first) == 3072);
    CHECK(first.kind == "buffer");
    CHECK(first.device == "TPU_0(process=0,(0,0,0,0))");
    REQUIRE(read->stack_of(first).size() == 3);
    CHECK(read->frames[read->stack_of(first)[1]].function == "train_step");
    CHECK(read->frames[read->stack_of(first)[1]].line == 120);
    CHECK(read->stack_of(read->samples[1]).size() == 2);  // not packed
    CHECK(read->samples[1].space == 4096);
    CHECK(profile_sample_bytes(read->samples[2]) == 1000);
    CHECK_FALSE(profile_sample_bytes(read->samples[3]));  // -1 each
    CHECK_FALSE(profile_sample_bytes(read->samples[4]));  // 0 each
    CHECK(profile_sample_bytes(read->samples[5]) == 0);   // an array without elements
}

TEST_CASE("a device of a profile as a trace") {
    const std::string bytes = sample::small_profile();
    const std::string executables = "alloc,executable1,500,executable apply_primitive (dispatch.py:87)\n"
                                    "alloc,executable2,500,executable apply_primitive (dispatch.py:87)\n";
    const std::string first = "op,id,bytes,tag\n"
                              "alloc,buffer1,1024,buffer train_step (train.py:120)\n"
                              "alloc,buffer2,1024,buffer train_step (train.py:120)\n"
                              "alloc,buffer3,1024,buffer train_step (train.py:120)\n" +
                              executables + "alloc,buffer4,0,buffer\n";
    CHECK(csv_of(bytes) == first);
    CHECK(csv_of(bytes, "TPU_0") == first);
    CHECK(csv_of(bytes, "TPU_1(process=0,(0,0,0,1))") ==
          "op,id,bytes,tag\nalloc,buffer1,4096,buffer <module> (train.py:200)\n" + executables);
    CHECK(csv_of(bytes, "TPU_2") ==
          "memory.prof: found no device `TPU_2`, expected one of the devices of the profile: `TPU_0`, `TPU_1`");

    const auto read = read_pprof(bytes, "memory.prof");
    const auto made = trace_of(*read, "memory.prof");
    REQUIRE(made);
    REQUIRE(made->notes.size() == 2);
    CHECK(made->notes[0] == "the profile has 2 devices, and this is TPU_0(process=0,(0,0,0,0)); choose another with "
                            "--device: `TPU_0`, `TPU_1`");
    CHECK(made->notes[1] == "9 executables whose size the profile does not state are left out: the memory holds more "
                            "than the trace");
}

TEST_CASE("profile: older profiles name devices by number, and each stays its own") {
    sample::pprof profile = sample::jax_profile();
    for (const std::uint64_t device : {std::uint64_t{0}, std::uint64_t{1}})
        profile.body +=
            sample::bytes_field(2, sample::bytes_field(2, sample::varint(1) + sample::varint(1024 * (device + 1))) +
                                       sample::bytes_field(3, sample::number_field(1, profile.text("kind")) +
                                                                  sample::number_field(2, profile.text("buffer"))) +
                                       sample::bytes_field(3, sample::number_field(1, profile.text("device")) +
                                                                  sample::number_field(3, device)));
    CHECK(csv_of(profile.bytes()) == "op,id,bytes,tag\nalloc,buffer1,1024,buffer\n");
    CHECK(csv_of(profile.bytes(), "1") == "op,id,bytes,tag\nalloc,buffer1,2048,buffer\n");
}

TEST_CASE("sizes that no file of JAX has") {
    sample::pprof made = sample::jax_profile();
    made.sample(3, 1000, "buffer", "cuda:0", {});
    CHECK(csv_of(made.bytes()) ==
          "op,id,bytes,tag\nalloc,buffer1,334,buffer\nalloc,buffer2,333,buffer\nalloc,buffer3,333,buffer\n");
    made.sample(0, 77, "buffer", "cuda:0", {});
    made.sample(1, std::int64_t{9'223'372'036'854'775'807}, "buffer", "cuda:0", {});
    CHECK(csv_of(made.bytes()).find("alloc,buffer4,9223372036854775807,buffer\n") != std::string::npos);
    made.sample(std::uint64_t{1} << 40U, 1, "buffer", "cuda:0", {});
    CHECK(csv_of(made.bytes()) == "memory.prof: found more than 524288 objects on a device, expected a profile of "
                                  "fewer objects");
    sample::pprof negative = sample::jax_profile();
    negative.sample(~std::uint64_t{0}, 5, "buffer", "cuda:0", {});
    CHECK(message_of(negative.bytes()).find("a sample of less than no objects") != std::string::npos);
    CHECK(csv_of(sample::jax_profile().bytes()) == "op,id,bytes\n");
}

TEST_CASE("names become tags") {
    sample::pprof made = sample::jax_profile();
    const auto call = made.frame("std::f(int, long)\n", "a,b.cpp", 7);
    const auto nothing = made.frame("??", "", 0);
    made.sample(1, 1, "buf,fer", "d", {nothing, call});
    CHECK(csv_of(made.bytes()) == "op,id,bytes,tag\nalloc,buffer1,1,buf;fer std::f(int; long)? (a;b.cpp:7)\n");
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

TEST_CASE("profiles that are none") {
    CHECK(message_of("") == "memory.prof: found a profile without values, expected a device memory profile, which has "
                            "`allocations` and `space`: jax.profiler.save_device_memory_profile writes it");
    sample::pprof cpu;
    cpu.type("samples", "count").type("cpu", "nanoseconds");
    CHECK(message_of(cpu.bytes()).find("found a profile of `samples`, `cpu`") != std::string::npos);
    CHECK(message_of("\x0a") ==
          "memory.prof: found the end in the middle of a number at byte 1, expected a whole pprof "
          "profile");
    CHECK(message_of("\x0a\x7f") ==
          "memory.prof: found a field that is longer than its message at byte 2, expected a whole pprof profile");
    CHECK(message_of("\x0b").find("a field of a type that is no longer in use") != std::string::npos);
    CHECK(message_of(std::string(1, '\0')).find("a field with a number that no field has") != std::string::npos);
    CHECK(message_of("\x08" + std::string(10, '\xff')).find("a number above 64 bits") != std::string::npos);
    sample::pprof lost = sample::jax_profile();
    lost.sample(1, 1, "buffer", "d", {77});
    CHECK(message_of(lost.bytes()).find("found location 77 at byte ") != std::string::npos);
    sample::pprof twice = sample::jax_profile();
    twice.frame("f", "f.py", 1);
    twice.functions = 0;
    twice.frame("g", "f.py", 1);
    CHECK(message_of(twice.bytes()).find("found function 1 twice") != std::string::npos);
    std::string strings = sample::jax_profile().bytes();
    strings += sample::bytes_field(1, sample::number_field(1, 1000));
    CHECK(message_of(strings).find("found string 1000 at byte ") != std::string::npos);
    sample::pprof valueless = sample::jax_profile();
    valueless.body += sample::bytes_field(2, sample::number_field(2, 5));
    CHECK(message_of(valueless.bytes()).find("a sample without its values") != std::string::npos);
    CHECK(message_of(std::string(5 << 20, 'x')).find("a profile of 5242880 bytes") != std::string::npos);
}

TEST_CASE("unknown fields are skipped by their type") {
    std::string bytes = sample::small_profile();
    bytes += sample::number_field(9, 12345) + sample::bytes_field(100, "any") + sample::varint(11 * 8 + 5) + "1234" +
             sample::varint(12 * 8 + 1) + "12345678" + sample::number_field(6, 3);
    const auto read = read_pprof(bytes, "memory.prof");
    REQUIRE_MESSAGE(read, read.error().message());
    CHECK(read->samples.size() == 6);
}

using namespace hbm::imported;

/// Returns the error of a result; empty without one.
std::string judge(const hbm::trace::read_result& made) {
    if (!made) return made.error().message().empty() ? "an error without words" : "";
    const auto again = hbm::trace::read_text(hbm::trace::to_csv(*made), "again");
    if (!again) return "a trace that cannot be read again: " + again.error().message();
    return again->rows == made->rows ? "" : "another trace when it is read again";
}

/// Reads damaged bytes in every way. Returns what is wrong.
std::string try_all(const std::string& bytes) {
    std::string wrong = judge(read_trace_text(bytes, "f"));
    if (const auto profile = read_pprof(bytes, "f"); profile) {
        for (const std::string_view device : {"", "TPU_1"})
            if (wrong.empty()) wrong = judge(trace_of(*profile, "f", device));
        (void)describe_profile(bytes, "f");
    }
    if (const auto snapshot = read_snapshot(bytes, "f"); snapshot) {
        for (const std::string_view device : {"", "1"}) {
            if (wrong.empty()) wrong = judge(trace_of(*snapshot, "f", device));
            if (wrong.empty()) wrong = judge(layout_of(*snapshot, "f", device));
        }
        (void)describe_snapshot(bytes, "f");
    }
    return wrong;
}

TEST_CASE("profiles and snapshots that are cut anywhere are errors") {
    for (const std::string& whole : {sample::small_profile(), sample::small_snapshot()}) {
        REQUIRE(try_all(whole).empty());
        for (std::size_t size = 0; size < whole.size(); ++size) {
            CAPTURE(size);
            CHECK(try_all(whole.substr(0, size)).empty());
        }
    }
    // A pickle says where it ends.
    const std::string whole = sample::small_snapshot();
    for (std::size_t size = 0; size < whole.size(); ++size) CHECK_FALSE(read_snapshot(whole.substr(0, size), "f"));
}

TEST_CASE("damaged profiles and snapshots are errors or good traces") {
    constexpr std::string_view pieces[] = {"\xff", "\xff\xff\xff\xff", std::string_view("\0", 1), "\x80"};
    for (const std::string& whole : {sample::small_profile(), sample::small_snapshot()}) {
        std::size_t errors = 0;
        for (std::uint64_t seed = 0; seed < 3000; ++seed) {
            CAPTURE(seed);
            testing::random_numbers random{seed};
            const std::string bytes = damaged(whole, pieces, random);
            const std::string wrong = try_all(bytes);
            CHECK_MESSAGE(wrong.empty(), wrong);
            if (!read_pprof(bytes, "f") && !read_snapshot(bytes, "f")) ++errors;
        }
        // Neither all nor none of the changes matter.
        CHECK(errors > 300);
        CHECK(errors < 3000);
    }
}

}  // namespace

}  // namespace hbm::test::pprof_tests
