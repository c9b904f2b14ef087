// The expected texts are those that the runtime printed in public reports, or follow from its rules for sizes; those
// about arguments are ours.

#include <hbm/explain/message.hpp>
#include <hbm/explain/words.hpp>
#include <hbm/hbm.hpp>
#include <hbm/mesh.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

#include "support/golden_text.hpp"

namespace hbm::test::words_tests {

TEST_CASE("size_in_words: the digits and units of the runtime, ties to the even digit") {
    const std::pair<std::uint64_t, const char*> expected[] = {
        {0, "0B"},
        {1023, "1023B"},
        {1024, "1.0K"},
        {1024 + 256, "1.2K"},  // 1.25
        {1536, "1.5K"},
        {1024 + 768, "1.8K"},  // 1.75
        {4096, "4.0K"},
        {(1u << 20) - 1, "1024.0K"},  // a unit ends at 1024 times itself
        {8u << 20, "8.00M"},
        {554'696'704, "529.00M"},
        {(1u << 30) - 1, "1024.00M"},
        {4'237'689'856, "3.95G"},
        {6'532'939'776, "6.08G"},
        {std::uint64_t{1} << 40, "1.00T"},
        {~std::uint64_t{0}, "16.00E"},
    };
    for (const auto& [bytes, text] : expected) CHECK(hbm::size_in_words(bytes) == text);
}

TEST_CASE("where a run is as long as what was asked for, it is not fragmentation that is told of") {
    // Four mebibytes are free in one run, but no place in it is as well aligned.
    const std::uint64_t mebibyte = 1u << 20;
    hbm::manager<hbm::best_fit> memory{{.name = "small", .capacity = 6 * mebibyte}};
    REQUIRE(memory.allocate(mebibyte));
    REQUIRE(memory.allocate(mebibyte));
    const auto aligned = memory.allocate({.bytes = 2 * mebibyte, .alignment = 4 * mebibyte});
    REQUIRE(aligned);  // at 4M
    REQUIRE(memory.free(*aligned));
    REQUIRE(memory.allocate({.bytes = 512, .alignment = 4 * mebibyte}));
    const auto failed = memory.allocate({.bytes = mebibyte, .alignment = 4 * mebibyte});
    REQUIRE_FALSE(failed);
    CHECK(hbm::message(failed.error()) ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 1.00M. That was not possible. "
          "There are 4.00M free.; (0x0x0_HBM0)");
    const auto too_far = memory.allocate({.bytes = mebibyte, .alignment = std::uint64_t{1} << 63U});
    REQUIRE_FALSE(too_far);
    CHECK(
        hbm::message(too_far.error()) ==
        "RESOURCE_EXHAUSTED: an alignment of 9223372036854775808 bytes is more quanta than the manager's placement can "
        "count");
    CHECK(hbm::message({.reason = hbm::error::buffer_does_not_fit,
                        .requested = 2 * mebibyte,
                        .free = 4 * mebibyte,
                        .largest_free = 2 * mebibyte - 512}) ==
          "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 2.00M. That was not possible. "
          "There are 4.00M free. The largest contiguous region of free memory is 2.00M due to fragmentation.; "
          "(0x0x0_HBM0)");
}

TEST_CASE("digits come in groups of three") {
    CHECK(hbm::grouped_digits(0) == "0");
    CHECK(hbm::grouped_digits(999) == "999");
    CHECK(hbm::grouped_digits(1000) == "1,000");
    CHECK(hbm::grouped_digits(6'532'939'776) == "6,532,939,776");
    CHECK(hbm::grouped_digits(~std::uint64_t{0}) == "18,446,744,073,709,551,615");
}

TEST_CASE("a buffer's message names the chip, a program's the replica and partition when both are told") {
    const hbm::failure buffer{.reason = hbm::error::buffer_does_not_fit, .requested = 1024, .free = 512};
    const std::string words = "RESOURCE_EXHAUSTED: Error allocating device buffer: Attempting to allocate 1.0K. That "
                              "was not possible. There are 512B free.; ";
    CHECK(hbm::message(buffer) == words + "(0x0x0_HBM0)");
    CHECK(hbm::message(buffer, "", {.at = {.x = 1, .y = 2, .z = 3, .hbm = 1}}) == words + "(1x2x3_HBM1)");
    CHECK(hbm::message(buffer, "", {.replica = 3, .partition = 4}) == words + "(0x0x0_HBM0)");

    const hbm::failure program{.reason = hbm::error::code_does_not_fit, .requested = 1024, .free = 512};
    const std::string loading = "RESOURCE_EXHAUSTED: Error loading program 'p': Attempting to allocate 1.0K. That was "
                                "not possible. There are 512B free.";
    CHECK(hbm::message(program, "p") == loading);
    CHECK(hbm::message(program, "p", {.replica = 1}) == loading);
    CHECK(hbm::message(program, "p", {.partition = 1}) == loading);
    CHECK(hbm::message(program, "p", {.replica = 1, .partition = 2}) ==
          loading + " Scope: unknown..: while running replica 1 and partition 2 of a replicated computation (other "
                    "replicas may have failed as well).");
}

TEST_CASE("the mistakes in the arguments of a run have their numbers and the first use") {
    // Arguments are counted from 0, inputs first.
    hbm::manager<hbm::best_fit, hbm::never_evict, hbm::donate_same_size> memory{{.name = "small", .capacity = 1 << 20}};
    const auto p = *memory.load({.name = "p", .code = 512});
    const auto a = *memory.allocate(512);
    const auto b = *memory.allocate(512);
    const auto gone = *memory.allocate(512);
    REQUIRE(memory.free(gone));
    std::string text;
    const auto add = [&](const hbm::failure& why) { text += hbm::message(why) + "\n"; };
    const auto refuse = [&](const hbm::run_spec& spec) { add(memory.run(p, spec).error()); };

    refuse({.inputs = {a, gone}});
    refuse({.inputs = {a}, .donated = {b, gone}});
    refuse({.inputs = {a}, .donated = {b, b}});
    refuse({.inputs = {a, b}, .donated = {b}});
    REQUIRE(memory.pin(b));
    refuse({.inputs = {a}, .donated = {b}});
    REQUIRE(memory.unpin(b));
    refuse({.inputs = {a, {.index = b.index, .generation = b.generation, .salt = 7}}});
    const auto must = [](std::uint64_t bytes, std::uint32_t partner) {
        return hbm::output{bytes, hbm::tag::none, hbm::aliasing::must, partner};
    };
    refuse({.donated = {a}, .outputs = {must(1024, 0)}});
    refuse({.donated = {a}, .outputs = {must(512, 0)}, .kept = {0}});
    refuse({.inputs = {b}, .donated = {a}, .outputs = {must(512, 0), must(512, 0)}});
    refuse({.inputs = {b}, .donated = {a}, .kept = {0, 0}});
    refuse({.donated = {a}, .kept = {3}});
    refuse({.donated = {a}, .outputs = {512, must(512, 7)}});
    hbm::manager<hbm::best_fit> never{{.name = "small", .capacity = 1 << 20}};
    const auto step = *never.load({.name = "step", .code = 512});
    const auto c = *never.allocate(512);
    add(never.run(step, {.donated = {c}, .outputs = {must(512, 0)}}).error());
    // Without an argument, it is about a handle.
    add(memory.free(gone).error());
    add(memory.free({.index = a.index, .generation = a.generation, .salt = 7}).error());
    // A donated buffer is dead afterwards.
    REQUIRE(memory.run(p, {.donated = {a}, .outputs = {512}}));
    refuse({.inputs = {a}});
    CHECK(text == hbm::test::golden_text("explain/errors.txt", "arguments of a run", text));
}

TEST_CASE("memories and meshes that cannot be say why") {
    using memory = hbm::manager<hbm::best_fit>;
    std::string text;
    const auto add = [&](const hbm::failure& why) { text += hbm::message(why) + "\n"; };
    add(memory{{.capacity = 512, .top_reserved = 1024}}.allocate(512).error());
    add(memory{{.capacity = 512, .quantum = 3}}.allocate(512).error());
    add(memory{{.capacity = 4096, .top_reserved = 512, .bounce = 1024}}.allocate(512).error());
    add(memory{{.capacity = std::uint64_t{1} << 42}}.allocate(512).error());
    add(memory{{.capacity = 512}}.allocate(-1).error());
    const hbm::memory_spec spec{.name = "small", .capacity = 1 << 20};
    add(hbm::mesh<memory>({2, 2}, {spec, spec}).allocate(512).error().why);
    add(hbm::mesh<memory>({0, 0}, spec).allocate(512).error().why);
    hbm::mesh<memory> devices({1, 2}, spec);
    add(devices.allocate({512, 512, 512}).error().why);
    CHECK(text == hbm::test::golden_text("explain/errors.txt", "memories and meshes", text));
}

TEST_CASE("time_in_words: three digits and a unit") {
    const std::pair<std::uint64_t, const char*> expected[] = {{0, "0 ns"},
                                                              {999, "999 ns"},
                                                              {1000, "1.0 us"},
                                                              {99'999, "99.9 us"},
                                                              {100'000, "100 us"},
                                                              {999'999, "999 us"},
                                                              {1'000'000, "1.0 ms"},
                                                              {12'345'678'901, "12.3 s"},
                                                              {1'234'000'000'000, "1234 s"}};
    for (const auto& [nanoseconds, text] : expected) CHECK(hbm::time_in_words(nanoseconds) == text);
}

}  // namespace hbm::test::words_tests
