// Remedies by what stands around a message, by the program that failed, and by limits that are settings.

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/headline.hpp"
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

TEST_CASE("remedies_for: begins with the KV pool in the log of a server, by how much, with its flag") {
    // 64 MiB of 15.75 GiB are 4.0 thousandths, and more with what two decimals hide.
    const std::vector<remedy> all = remedies_of(pool + reservation("jit_step", "384.00M", "320.00M"));
    CHECK(all.front().text.starts_with("Make the KV pool smaller, by 64.00M or more: lower --gpu-memory-utilization "
                                       "(vLLM) or --mem-fraction-static (SGLang) by 0.004 or more."));
    CHECK(all.front().flag == "--gpu-memory-utilization");
    CHECK(all[1].text.starts_with("It can fit: in a memory with nothing else in it, the program would leave 15.38G of "
                                  "the 15.75G of this device"));
    const std::string other = reservation("jit_step", "384.00M", "320.00M");
    CHECK(remedies_of(other).front().text.starts_with("Check first whether it can fit at all."));
    CHECK(helps(other, "In a server, make the KV pool smaller, by 64.00M or more"));
    CHECK(helps(pool + samples::full_device, "Make the KV pool smaller, by 54.50M or more"));
}

TEST_CASE("remedies_for: lists every device on which a program fits, and none that is smaller than what is free") {
    CHECK(helps(reservation("p", "13.50G", "7.25G"),
                "TPU v3 (15.48G, 1.98G left), TPU v5e (15.75G, 2.25G left), TPU v4 (30.75G, 17.25G left), TPU v6e "
                "(31.25G, 17.75G left), TPU 7x (94.70G, 81.20G left), TPU v5p (95.74G, 82.24G left)"));
    CHECK_FALSE(helps("Error loading program 'p': Attempting to reserve 1.00G at the bottom of memory. That was not "
                      "possible. There are 20.00G free, 0B reserved, and 0.50G reservable.",
                      "TPU v5e"));
}

TEST_CASE("remedies_for: a program that JAX compiles for itself has the remedy of its call") {
    const std::string gather = reservation("jit__identity_fn", "13.50G", "7.25G");
    CHECK(remedies_of(gather).front().text.starts_with("Do not gather whole arrays on every device"));
    for (const std::string_view words : {"jax.checkpoint", "batch", "tpu_shared_memory_percent", "donate_argnums"})
        CHECK_FALSE(helps(gather, words));
    CHECK(helps(gather, "TPU v6e (31.25G, 17.75G left)"));
    CHECK(remedies_of(reservation("jit__multi_slice", "6.00G", "5.00G"))
              .front()
              .text.starts_with("Send each device its own part"));
    CHECK(remedies_of(reservation("jit_train_step", "13.50G", "7.25G")).front().text.starts_with("Check first"));
}

TEST_CASE("remedies_for: a program larger than every device is to be spread") {
    const std::string text = reservation("jit_step", "300.00G", "4.0K");
    CHECK(helps(text, "No TPU known here has 300.00G for a device"));
    // 300 of 95.74 are more than 3.
    CHECK(helps(text, "over 4, each share fits into 95.74G"));
    CHECK(helps("Total memory size: 200.0 GB, Output size: 4.5 GB, Temp size: 191.0 GB, Argument size: 4.5 GB",
                "over 3, each share fits into 95.74G"));
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

TEST_CASE("remedies_for: temporaries that are too large are to become smaller, for donation saves outputs alone") {
    const std::string text = "Ran out of memory on HBM, the total memory required for HLO temporaries (20.00G) exceeds "
                             "available HBM (15.00G).";
    CHECK(helps(text, "if the 20.00G of temporaries grow in step with it, 74 % of the present one fits"));
    CHECK_FALSE(helps(text, "donate_argnums"));
}

TEST_CASE("headline: a limit that can be set is called that, and a memory of the chip is not") {
    const auto headline_of = [](const std::string& text) {
        const memory_message message = read(text);
        return headline(message, diagnose(message));
    };
    const std::string scoped =
        "Scoped allocation with size 20.25M and limit 16.00M exceeded scoped vmem limit by 4.25M.";
    CHECK(has(headline_of(scoped), "20.25M is needed and 16.00M is allowed: 4.25M too much. That limit is a setting"));
    CHECK(headline_of("Ran out of memory in memory space vmem while allocating on stack for %my_kernel.3 = f32[8]{0} "
                      "custom-call(). " +
                      scoped)
              .starts_with("'my_kernel.3' needs too much of 'vmem', a small memory on the chip, where 20.25M"));
    CHECK(helps(scoped, "vmem_limit_bytes=21240832"));
    CHECK(helps(scoped, "--xla_tpu_scoped_vmem_limit_kib=20743"));
    CHECK(
        has(headline_of("Ran out of memory in memory space vmem. Used 32.50M of 16.00M vmem. Exceeded vmem capacity by "
                        "16.50M."),
            "16.00M exists"));
    CHECK(has(headline_of(samples::compile), "with its arguments it needs 18.00G of 15.75G, 2.25G too much"));
    CHECK(has(headline_of("Ran out of memory in memory space hbm. Used 17.00G of 15.75G hbm. Exceeded hbm capacity by "
                          "1.25G."),
              "even into empty memory: it needs 17.00G of 15.75G, 1.25G too much"));
}

}  // namespace hbm::test::message_remedies_tests
