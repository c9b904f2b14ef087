// Messages and logs with a few random changes: an answer or an error, quickly, of bounded length.

#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/json.hpp"
#include "compare/message/message_samples.hpp"
#include "compare/read/file_kind.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/samples/samples.hpp"
#include "compare/read/samples/samples_log.hpp"
#include "support/damaged.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::mutated_tests {

namespace {

using namespace hbm::imported;

const std::vector<std::string> texts{
    samples::full_device,
    samples::in_pieces,
    samples::no_scratch,
    samples::blocked + "\n" + samples::in_pieces,
    samples::no_code,
    samples::old_driver,
    samples::compile,
    samples::early,
    samples::cores,
    samples::single,
    samples::on_chip,
    samples::ledger,
    "RESOURCE_EXHAUSTED: Ran out of memory on HBM, the total memory required for HLO temporaries\n(98.58G) exceeds "
    "available HBM (94.74G). HLO module: jit_step.",
    "CompiledMemoryStats(generated_code_size_in_bytes=1024, argument_size_in_bytes=4096, output_size_in_bytes=512, "
    "alias_size_in_bytes=0, temp_size_in_bytes=65536)",
    "  Using (GB) 1.59 / 30.75 (5.170732%) on TPU_4(process=1,(0,0,1,0))\nstep 1\n  Using (GB) 1.69 / 30.75 "
    "(5.5%) on TPU_4(process=1,(0,0,1,0))\n",
    "INFO Init model | hbm=[(3.74, 31.25), (3.74, 31.25)]Gb\nINFO Init kv-cache | hbm=[(28.49, 31.25)]Gb\n",
    "{'bytes_in_use': 76288, 'bytes_limit': 33014415360, 'num_allocs': 3}\n",
};

constexpr std::string_view pieces[] = {
    "18446744073709551615",
    "G",
    "0B",
    "-1.00G",
    "1e309",
    "Used ",
    " of ",
    "hbm",
    "\n",
    "\\n",
    "\r\n",
    "'",
    "\"",
    "(",
    ")",
    "Attempting to reserve ",
    "There are ",
    "Size: ",
    "Total hbm usage >= ",
    "\xff",
    std::string_view("\0", 1),
    "%",
    "[",
};

/// Reads a damaged text and answers it. Returns the bytes of all answers.
std::size_t answer(const std::string& text) {
    std::size_t length = 0;
    (void)recognise(text);
    if (const reading<found_messages> messages = read_messages("log", text); messages && !messages->messages.empty()) {
        length += answers_to(*messages, &*messages).size();
        const std::string json = message_json(*messages);
        CHECK(is_valid_json(json));
        length += json.size();
    } else if (!messages) {
        CHECK_FALSE(messages.error().expected.empty());
    }
    if (const std::string in_log = samples_in_log(text); !in_log.empty())
        length += read_samples(in_log, "log").devices.size();
    return length;
}

}  // namespace

TEST_CASE("mutated messages and logs are answered or refused, quickly and within bounds") {
    constexpr int rounds = 200;  // of each text
    constexpr std::size_t longest = std::size_t{1} << 20;
    testing::random_numbers random(35);
    std::chrono::steady_clock::duration slowest{};
    std::uint64_t answered = 0;
    for (int round = 0; round < rounds; ++round)
        for (const std::string& text : texts) {
            const std::string mutated = damaged(text, pieces, random);
            CAPTURE(mutated);
            const auto begin = std::chrono::steady_clock::now();
            const std::size_t length = answer(mutated);
            slowest = std::max(slowest, std::chrono::steady_clock::now() - begin);
            CHECK(length < longest);
            answered += length != 0;
        }
    CHECK(slowest < std::chrono::seconds(2));
    CHECK(answered > texts.size() * rounds / 2);
}

}  // namespace hbm::test::mutated_tests
