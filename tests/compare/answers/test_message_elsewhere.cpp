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
}

TEST_CASE("on_device: a request counts with what is in use, if the text says how much that is") {
    const std::string request = "Error loading program 'jit_step': Attempting to reserve 384.00M at the bottom of "
                                "memory. That was not possible. "
                                "There are 256.00M free, 0B reserved, and 256.00M reservable.\n";
    const other_device alone = verdict(request);
    CHECK_FALSE(alone.left);
    const other_device with_use = verdict("hbm=[(15.50, 15.75)]Gb\n" + request, tpu::v6e);
    REQUIRE(with_use.left);
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
