// The C interface from C99 (story.c) and from C++17 (cpp17.cpp), its names and messages. Wrong arguments and devices
// that fail are those of test_fuzz.cpp.
#include <hbm/c.h>
#include <hbm/explain/error_table.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <set>
#include <string>

#include "c_face/cpp17.hpp"
#include "c_face/sized.hpp"
#include "c_face/story.h"

namespace hbm::test::story_tests {

using namespace hbm;

namespace {

constexpr std::uint64_t q = 512;

hbm_spec spec_of(std::uint64_t capacity) {
    auto spec = sized<hbm_spec>();
    spec.name = "small";
    spec.capacity = capacity;
    return spec;
}

/// A manager, destroyed at the end of a test case.
class held {
public:
    explicit held(const char* name, std::uint64_t capacity = 64 * q) {
        const hbm_spec spec = spec_of(capacity);
        memory = hbm_create(name, &spec, nullptr);
        REQUIRE(memory != nullptr);
    }
    held(const held&) = delete;
    held& operator=(const held&) = delete;
    ~held() { CHECK(hbm_destroy(memory) == HBM_OK); }

    hbm_manager* memory = nullptr;
};

std::string text_of(const hbm_manager* memory, std::size_t (*call)(const hbm_manager*, char*, std::size_t)) {
    std::string text(call(memory, nullptr, 0), '\0');
    call(memory, text.data(), text.size() + 1);
    return text;
}

hbm_error why_not(const char* name, const hbm_spec& spec) {
    hbm_error why = HBM_OK;
    CHECK(hbm_create(name, &spec, &why) == nullptr);
    return why;
}

}  // namespace

TEST_CASE("a full story in C99") {
    const char* const broken = hbm_tell_story();
    CHECK_MESSAGE(broken == nullptr, std::string(broken == nullptr ? "" : broken));
}

TEST_CASE("the header in C++17") {
    CHECK(test::allocate_from_cpp17("best_fit") == HBM_OK);
    CHECK(test::allocate_from_cpp17("worst_fit") == HBM_ERROR_UNKNOWN_NAME);
}

TEST_CASE("every manager is made by its name, and says it") {
    std::set<std::string> names;
    for (std::size_t at = 0; hbm_manager_name(at) != nullptr; ++at) {
        const held made(hbm_manager_name(at));
        CHECK(std::string(hbm_name(made.memory)) == hbm_manager_name(at));
        names.insert(hbm_manager_name(at));
    }
    CHECK(names.size() == 5);
    for (const char* const short_name : {"tpu", "tpu::runtime_memory", "xla_bfc", "best_fit", "buddy"})
        CHECK(names.count(hbm_name(held(short_name).memory)) == 1);
    CHECK(hbm_manager_name(~std::size_t{0}) == nullptr);
}

TEST_CASE("the generations are those of the library") {
    std::size_t at = 0;
    for (const memory_spec& each : tpu::generations) {
        hbm_spec spec = spec_of(1);
        spec.quantum = 1024;
        REQUIRE(hbm_generation_name(at) != nullptr);
        CHECK(hbm_spec_of_generation(hbm_generation_name(at++), &spec) == HBM_OK);
        CHECK(spec.capacity == each.capacity);
        CHECK(spec.bandwidth == each.bandwidth);
        CHECK(spec.quantum == 1024);
    }
    CHECK(hbm_generation_name(at) == nullptr);
    hbm_spec spec = spec_of(1);
    CHECK(hbm_spec_of_generation("v99", &spec) == HBM_ERROR_UNKNOWN_NAME);
    CHECK(hbm_spec_of_generation(nullptr, &spec) == HBM_ERROR_NULL_POINTER);
    CHECK(hbm_spec_of_generation("v4", nullptr) == HBM_ERROR_NULL_POINTER);
    spec.struct_size = 3;
    CHECK(hbm_spec_of_generation("v4", &spec) == HBM_ERROR_BAD_STRUCT);
    CHECK(spec.capacity == 1);
}

TEST_CASE("a spec that cannot be used makes no manager and says why") {
    CHECK(why_not("worst_fit", spec_of(q)) == HBM_ERROR_UNKNOWN_NAME);
    CHECK(why_not("", spec_of(q)) == HBM_ERROR_UNKNOWN_NAME);
    CHECK(why_not(nullptr, spec_of(q)) == HBM_ERROR_NULL_POINTER);
    hbm_spec spec = spec_of(64 * q);
    spec.quantum = 3;
    CHECK(why_not("best_fit", spec) == HBM_ERROR_BAD_QUANTUM);
    CHECK(why_not("best_fit", spec_of(0)) == HBM_ERROR_NO_CAPACITY);
    CHECK(why_not("best_fit", spec_of(q - 1)) == HBM_ERROR_NO_CAPACITY);
    spec = spec_of(q);
    spec.top_reserved = q;
    CHECK(why_not("best_fit", spec) == HBM_ERROR_NO_CAPACITY);
    spec.top_reserved = 2 * q;
    CHECK(why_not("best_fit", spec) == HBM_ERROR_TOP_TOO_LARGE);
    spec = spec_of(2 * q);
    spec.top_reserved = q;
    spec.bounce = 2 * q;
    CHECK(why_not("best_fit", spec) == HBM_ERROR_BOUNCE_TOO_LARGE);
    for (const std::size_t size : {std::size_t{0}, sizeof spec - 1, sizeof spec + 1, ~std::size_t{0}}) {
        spec = spec_of(64 * q);
        spec.struct_size = size;
        CHECK(why_not("best_fit", spec) == HBM_ERROR_BAD_STRUCT);
    }
    hbm_error why = HBM_OK;
    CHECK(hbm_create("best_fit", nullptr, &why) == nullptr);
    CHECK(why == HBM_ERROR_NULL_POINTER);
    CHECK(hbm_create("best_fit", nullptr, nullptr) == nullptr);
}

TEST_CASE("every error has a number, a name and a message of its own") {
    std::set<std::string> names, messages;
    unsigned known = 0;
    for (unsigned number = 0; number < 1000; ++number) {
        const std::string name = hbm_error_name(number);
        if (name == "unknown") continue;
        ++known;
        names.insert(name);
        messages.insert(hbm_error_message(number));
        // Those of the library have its names.
        std::string expected = number == 0 ? "HBM_OK" : "HBM_ERROR_";
        if (number >= 100 || number == 0) continue;
        for (const char* letter = error_name(static_cast<error>(number)); *letter != '\0'; ++letter)
            expected += *letter == '_' ? '_' : static_cast<char>(*letter - 'a' + 'A');
        CHECK(name == expected);
    }
    CHECK(known == static_cast<unsigned>(error::unknown_stream) + 1 + 9);
    CHECK(names.size() == known);
    CHECK(messages.size() == known);
    CHECK(std::string(hbm_error_message(~0u)) == "an error that this version of the library does not know");
}

TEST_CASE("the last message names the call") {
    const held mine("tpu"), other("tpu");
    hbm_buffer theirs{};
    REQUIRE(hbm_allocate(other.memory, q, 0, nullptr, &theirs) == HBM_OK);
    CHECK(hbm_free(mine.memory, theirs) == HBM_ERROR_FOREIGN_HANDLE);
    CHECK(text_of(mine.memory, hbm_last_message) ==
          "INVALID_ARGUMENT: the handle was given out by another manager (hbm_free)");
    CHECK(hbm_sync(mine.memory) == HBM_OK);
    CHECK(text_of(mine.memory, hbm_last_message) == "OK");
    CHECK(text_of(mine.memory, hbm_explain) == "The latest call did not fail.\n");
}

TEST_CASE(
    "hbm_last_message: names the call and the argument, and is the explanation of a call that is wrong in itself") {
    const held mine("tpu");
    auto code = sized<hbm_program_spec>();
    hbm_program step{};
    REQUIRE(hbm_load(mine.memory, &code, &step) == HBM_OK);
    auto run = sized<hbm_run_spec>();
    run.output_count = ~std::size_t{0};
    CHECK(hbm_run(mine.memory, step, &run, nullptr, nullptr) == HBM_ERROR_TOO_MANY);
    CHECK(text_of(mine.memory, hbm_last_message) ==
          "INVALID_ARGUMENT: hbm_run: lists: a list of a run is longer than HBM_MAX_ARGUMENTS");
    CHECK(text_of(mine.memory, hbm_explain) == text_of(mine.memory, hbm_last_message) + "\n");
    hbm_buffer inputs[2]{};
    REQUIRE(hbm_allocate(mine.memory, q, 0, nullptr, &inputs[0]) == HBM_OK);
    run = sized<hbm_run_spec>();
    run.inputs = inputs;
    run.input_count = 2;
    CHECK(hbm_run(mine.memory, step, &run, nullptr, nullptr) == HBM_ERROR_STALE_HANDLE);
    CHECK(text_of(mine.memory, hbm_last_message).find("argument 1 is gone") != std::string::npos);
}

TEST_CASE("a handle outlives its manager as a foreign handle, even where the next manager has the same place") {
    hbm_buffer made{};
    {
        const held first("best_fit");
        REQUIRE(hbm_allocate(first.memory, q, 0, nullptr, &made) == HBM_OK);
    }
    const held second("best_fit");
    hbm_buffer again{};
    REQUIRE(hbm_allocate(second.memory, q, 0, nullptr, &again) == HBM_OK);
    CHECK(hbm_free(second.memory, made) == HBM_ERROR_FOREIGN_HANDLE);
}

TEST_CASE("a run may write its outputs over its arguments, and writes nothing if it fails") {
    const held mine("tpu");
    auto code = sized<hbm_program_spec>();
    hbm_program step{};
    hbm_buffer state{};
    REQUIRE(hbm_load(mine.memory, &code, &step) == HBM_OK);
    REQUIRE(hbm_allocate(mine.memory, 4 * q, 0, "state", &state) == HBM_OK);
    hbm_output output{4 * q, nullptr, HBM_ALIAS_MUST, 0};
    auto run = sized<hbm_run_spec>();
    run.donated = &state;
    run.donated_count = 1;
    run.outputs = &output;
    run.output_count = 1;
    for (int time = 0; time < 3; ++time) {
        const hbm_buffer before = state;
        CHECK(hbm_run(mine.memory, step, &run, &state, nullptr) == HBM_OK);
        CHECK(hbm_check_buffer(mine.memory, before) == HBM_ERROR_STALE_HANDLE);
        CHECK(hbm_check_buffer(mine.memory, state) == HBM_OK);
    }
    output.bytes = 5 * q;
    CHECK(hbm_run(mine.memory, step, &run, &state, nullptr) == HBM_ERROR_ALIAS_OF_OTHER_SIZE);
    CHECK(hbm_check_buffer(mine.memory, state) == HBM_OK);
}

TEST_CASE("hbm_last_message: is cut to its room") {
    const held mine("best_fit");
    hbm_buffer made{};
    CHECK(hbm_allocate(mine.memory, 65 * q, 0, "huge", &made) == HBM_ERROR_BUFFER_DOES_NOT_FIT);
    const std::string whole = text_of(mine.memory, hbm_last_message);
    char text[8] = "1234567";
    CHECK(hbm_last_message(mine.memory, text, 4) == whole.size());
    CHECK(std::string(text) == whole.substr(0, 3));
    CHECK(text[4] == '5');
    CHECK(hbm_last_message(mine.memory, text, 0) == whole.size());
    CHECK(text_of(mine.memory, hbm_explain).find(whole) == 0);
    CHECK(whole.ends_with("; (small)"));  // the device by its name
}

}  // namespace hbm::test::story_tests
