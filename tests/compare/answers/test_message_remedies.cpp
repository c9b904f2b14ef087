// Remedies by what stands around a message, by the program that failed, and by limits that are settings.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/message/message_samples.hpp"
#include "compare/read/message/message.hpp"

namespace hbm::test::message_remedies_tests {

using namespace hbm::imported;

namespace {

memory_message read(const std::string& text) {
    const reading<found_messages> result = read_messages("log", text);
    REQUIRE(result);
    REQUIRE(result->messages.size() == 1);
    return result->messages.front();
}

std::vector<remedy> remedies_of(const std::string& text) {
    const memory_message message = read(text);
    return remedies_for(message, diagnose(message));
}

bool has(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

/// Returns true if a remedy has these words.
bool helps(const std::string& text, std::string_view words) {
    const std::vector<remedy> all = remedies_of(text);
    return std::any_of(all.begin(), all.end(), [&](const remedy& advice) { return has(advice.text, words); });
}

std::string reservation(const std::string& program, const std::string& size, const std::string& free) {
    return "RESOURCE_EXHAUSTED: Error loading program '" + program + "': Attempting to reserve " + size +
           " at the bottom of memory. That was not possible. There are " + free + " free, 0B reserved, and " + free +
           " reservable.\n";
}

const std::string pool = "Init kv-cache | num_blocks=[9000 x 15] | hbm=[(14.50, 15.75), (14.25, 15.75)]Gb\n";

}  // namespace

TEST_CASE("surroundings: the last measurement before a message, of the fullest device, and the signs of a server") {
    const memory_message message =
        read("hbm=[(1.00, 15.75)]Gb\n" + pool + reservation("p", "384.00M", "320.00M") + "hbm=[(2.00, 15.75)]Gb\n");
    REQUIRE(message.around.memory);
    CHECK(in_words(*message.around.memory) == "15.75G");
    CHECK(in_words(*message.around.in_use) == "14.50G");
    CHECK(message.around.has_pool);
    for (const std::string words :
         {"[TP0] KV Cache is allocated. #tokens: 811008", "(EngineCore pid=7) ERROR [core.py]"})
        CHECK(read(words + "\n" + reservation("p", "384.00M", "320.00M")).around.has_pool);
    const memory_message alone = read(reservation("p", "384.00M", "320.00M"));
    CHECK_FALSE(alone.around.memory);
    CHECK_FALSE(alone.around.has_pool);
}

TEST_CASE("remedies_for: begins with the KV pool in the log of a server, with its flag") {
    const std::string text = reservation("jit_step", "384.00M", "320.00M");
    CHECK(remedies_of(pool + text).front().flag == "--gpu-memory-utilization");
    CHECK(remedies_of(text).front().flag.empty());
    CHECK(remedies_of(pool + samples::full_device).front().flag == "--gpu-memory-utilization");
}

TEST_CASE("answers_to: outputs that a stated total counts in full take over no argument") {
    const std::string text = "Input memory: 4.5GB\nOutput memory: 4.5GB\nTemp memory: 8.0GB\nCode memory: 0.0MB\n"
                             "Total HBM memory: 17.0GB\n";
    CHECK(has(answers_to(*read_messages("log", text)), "4.50G  outputs that take over no argument"));
    CHECK(helps(text, "4.50G of outputs take over nothing now"));
    const std::string donated = "Input memory: 4.5GB\nOutput memory: 4.5GB\nTemp memory: 8.0GB\nCode memory: 0.0MB\n"
                                "Total HBM memory: 12.5GB\n";
    CHECK_FALSE(helps(donated, "of outputs take over nothing"));
}

}  // namespace hbm::test::message_remedies_tests
