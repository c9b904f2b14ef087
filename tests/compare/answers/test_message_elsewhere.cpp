// The figures of a message in the memory of another device.

#include <hbm/tpu/generations.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/elsewhere.hpp"
#include "compare/answers/message/json.hpp"
#include "compare/read/message/message.hpp"

namespace hbm::test::message_elsewhere_tests {

using namespace hbm::imported;

namespace {

constexpr std::uint64_t mebibyte = 1 << 20;

other_device verdict(const std::string& text, const memory_spec& device = tpu::v5p) {
    const reading<found_messages> messages = read_messages("log", text);
    REQUIRE(messages);
    const memory_message& first = messages->messages.front();
    return on_device(first, diagnose(first), device);
}

bool has(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

const std::string compile = "Ran out of memory in memory space hbm. Used 18.00G of 15.75G hbm. Exceeded hbm capacity "
                            "by 2.25G.\n";

}  // namespace

TEST_CASE("on_device: a program fits if its need does, and what is left or missing is the difference") {
    const other_device larger = verdict(compile);
    REQUIRE(larger.left);
    CHECK(larger.left->bytes == tpu::v5p.capacity - 18 * 1024 * mebibyte);
    CHECK_FALSE(larger.missing);
    CHECK(has(larger.text, "On TPU v5p (95.74G): the program needs 18.00G, which fits: 77.74G would be left."));
    const other_device smaller = verdict(compile, tpu::v2);
    CHECK_FALSE(smaller.left);
    REQUIRE(smaller.missing);
    CHECK(smaller.missing->bytes == 18 * 1024 * mebibyte - tpu::v2.capacity);
    memory_spec close = tpu::v5e;
    close.name = "custom";
    close.capacity = 18 * 1024 * mebibyte;
    const other_device unclear = verdict(compile, close);
    CHECK_FALSE(unclear.left);
    CHECK_FALSE(unclear.missing);
    CHECK(
        has(unclear.text, "On a device of 18.00G: the program needs 18.00G, which fits or not by what rounding hides"));
}

TEST_CASE("on_device: outputs that a total leaves out count, and arguments that no line states are named") {
    const std::string outputs = compile +
                                "Total hbm usage >= 18.25G:\n    reserved 256.00M\n    program 10.00G\n    arguments "
                                "8.00G\n\nOutput size 6.00G; shares 5.00G with arguments.\n";
    CHECK(has(verdict(outputs).text, "with its outputs, needs 19.00G"));
    CHECK(has(verdict("Ran out of memory on HBM, the total memory required for HLO temporaries (98.58G) exceeds "
                      "available HBM (94.74G).",
                      [] {
                          memory_spec large = tpu::v5p;
                          large.capacity *= 2;
                          return large;
                      }())
                  .text,
              "Arguments come on top; the message does not state them."));
}

TEST_CASE("on_device: a request counts with what is in use, if the text says how much that is") {
    const std::string request = "Error loading program 'jit_step': Attempting to reserve 384.00M at the bottom of "
                                "memory. That was not possible. "
                                "There are 256.00M free, 0B reserved, and 256.00M reservable.\n";
    const other_device alone = verdict(request);
    CHECK_FALSE(alone.left);
    CHECK(has(alone.text, "The message does not say how much they take."));
    const other_device with_use = verdict("hbm=[(15.50, 15.75)]Gb\n" + request, tpu::v6e);
    REQUIRE(with_use.left);
    CHECK(has(with_use.text, "with the 15.50G now in use, is 15.8"));
    const other_device shared = verdict(
        "hbm=[(14.75, 15.75)]Gb\nError loading program 'jit_step': Attempting to reserve 4.00G at the bottom of "
        "memory. That was not possible. There are 1.00G free, 2.00G reserved, and 1.00G reservable.\n",
        tpu::v6e);
    // 15.75 less 1.00 free and 2.00 reserved.
    CHECK(has(shared.text, "with the 12.75G now in use, is 16.75G, which fits"));
    memory_spec tiny = tpu::v5e;
    tiny.capacity = 100 * mebibyte;
    REQUIRE(verdict(request, tiny).missing);
    CHECK(verdict(request, tiny).missing->bytes == 284 * mebibyte);
}

TEST_CASE("on_device: says that nothing is known of memory on the chip and of messages without sizes") {
    for (const char* const text :
         {"E1000: CompileTimeHbmOom: XLA:TPU compile permanent error. Ran out of memory in memory space hbm.",
          "Ran out of memory in memory space vmem. Used 32.42M of 16.00M vmem. Exceeded vmem capacity by 16.42M.",
          "Error loading program 'jit_step': Attempting to"}) {
        CAPTURE(text);
        const other_device result = verdict(text);
        CHECK_FALSE(result.left);
        CHECK_FALSE(result.missing);
        CHECK(has(result.text, "not known, because"));
    }
}

TEST_CASE("message_json: has the verdict on another device") {
    const reading<found_messages> messages = read_messages("log", compile);
    REQUIRE(messages);
    CHECK_FALSE(has(message_json(*messages), "other_device"));
    const std::uint64_t capacity = tpu::v5p.capacity;
    CHECK(has(message_json(*messages, &tpu::v5p), R"("other_device":{"name":"v5p","capacity_bytes":)" +
                                                      std::to_string(capacity) + R"(,"fits":true,"left_bytes":)" +
                                                      std::to_string(capacity - 18 * 1024 * mebibyte) +
                                                      R"(,"missing_bytes":null,)"));
    CHECK(has(answers_to(*messages, {.device = &tpu::v2}),
              "On TPU v2 (7.48G): the program needs 18.00G, which does not fit"));
}

}  // namespace hbm::test::message_elsewhere_tests
