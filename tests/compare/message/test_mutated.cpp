// Messages and logs with a few random changes: an answer or an error, quickly, of bounded length and memory.
//
// HBM_MUTATIONS is the number of mutated texts (default 3,400), and HBM_MUTATED_TEXTS a folder with further texts:
// `HBM_MUTATIONS=100000 HBM_MUTATED_TEXTS=DIR hbm_tests_compare_message --source-file='*test_mutated.cpp' -s`.

#include <hbm/adapt/poison.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/json.hpp"
#include "compare/growth/samples_growth.hpp"
#include "compare/growth/text.hpp"
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

const std::vector<std::string> further{
    samples::blocked + "\n" + samples::in_pieces,
    "RESOURCE_EXHAUSTED: Ran out of memory on HBM, the total memory required for HLO temporaries\n(98.58G) exceeds "
    "available HBM (94.74G). HLO module: jit_step.",
    "CompiledMemoryStats(generated_code_size_in_bytes=1024, argument_size_in_bytes=4096, output_size_in_bytes=512, "
    "alias_size_in_bytes=0, temp_size_in_bytes=65536)",
    "  Using (GB) 1.59 / 30.75 (5.170732%) on TPU_4(process=1,(0,0,1,0))\nstep 1\n  Using (GB) 1.69 / 30.75 "
    "(5.5%) on TPU_4(process=1,(0,0,1,0))\n",
    "INFO Init model | hbm=[(3.74, 31.25), (3.74, 31.25)]Gb\nINFO Init kv-cache | hbm=[(28.49, 31.25)]Gb\n",
    "{'bytes_in_use': 76288, 'bytes_limit': 33014415360, 'num_allocs': 3}\n",
};

constexpr std::string_view pieces[] = {"18446744073709551615",
                                       "99999999999999999999G",
                                       "17.99E",
                                       "-1.00G",
                                       "1e309",
                                       "0B",
                                       "G",
                                       "Used ",
                                       " of ",
                                       "hbm",
                                       "\n",
                                       "\\n",
                                       "\r\n",
                                       "\\",
                                       "'",
                                       "\"",
                                       "(",
                                       ")",
                                       "((((((((",
                                       "[",
                                       "%",
                                       "**",
                                       "&gt;",
                                       "Attempting to reserve ",
                                       "There are ",
                                       "Size: ",
                                       "1. Size:",
                                       "Total hbm usage >= ",
                                       "Error loading program",
                                       "\xff",
                                       "\xff\xfe",
                                       std::string_view("\0", 1)};

/// Reads a damaged text and answers it. Returns the bytes of all answers.
std::size_t answer(const std::string& text) {
    std::size_t length = 0;
    (void)recognise(text);
    if (const reading<found_messages> messages = read_messages("log", text); messages && !messages->messages.empty()) {
        length += answers_to(*messages, {.before = &*messages}).size();
        for (const memory_message& message : messages->messages) CHECK((message.line > 0 && message.column > 0));
        CHECK(describe_message(text, "log"));
        const std::string json = message_json(*messages);
        CHECK(is_valid_json(json));
        length += json.size();
    } else if (!messages) {
        CHECK(messages.error().file == "log");
        CHECK_FALSE(messages.error().found.empty());
        CHECK_FALSE(messages.error().expected.empty());
    }
    if (const std::string in_log = samples_in_log(text); !in_log.empty())
        for (const sample_series& device : read_samples(in_log, "log").devices)
            length += to_text(growth_of(device, "log")).size();
    return length;
}

/// Returns the samples, and the texts of the folder that the environment names.
std::vector<std::string> all_texts() {
    std::vector<std::string> all = samples::all;
    all.insert(all.end(), further.begin(), further.end());
    const char* const folder = std::getenv("HBM_MUTATED_TEXTS");
    if (folder == nullptr) return all;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        std::ifstream file(entry.path(), std::ios::binary);
        all.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    return all;
}

/// Returns the most memory that the process had, in MiB.
std::uint64_t peak_mebibytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<std::uint64_t>(usage.ru_maxrss) / 1024;
}

}  // namespace

TEST_CASE("mutated messages and logs are answered or refused, quickly and within bounds") {
    constexpr std::size_t longest = std::size_t{1} << 20;
    const char* const given = std::getenv("HBM_MUTATIONS");
    const std::vector<std::string> all = all_texts();
    const std::uint64_t count = given == nullptr ? 200 * all.size() : std::stoull(given);
    testing::random_numbers random(35);
    double slowest = 0;  // seconds of processor time, which other programs do not lengthen
    std::uint64_t answered = 0;
    for (std::uint64_t at = 0; at < count; ++at) {
        const std::string mutated = damaged(all[at % all.size()], pieces, random);
        CAPTURE(mutated);
        const std::clock_t begin = std::clock();
        const std::size_t length = answer(mutated);
        slowest = std::max(slowest, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
        if (length >= longest) FAIL_CHECK(length << " bytes of answers");
        answered += length != 0;
    }
    MESSAGE(count, " mutations of ", all.size(), " texts, ", answered, " answered, slowest ", slowest, " s, at most ",
            peak_mebibytes(), " MiB");
    CHECK(slowest < 2);
    CHECK(answered > count / 2);
#ifndef ASAN_POISON_MEMORY_REGION  // AddressSanitizer keeps what is freed
    CHECK(peak_mebibytes() < 256);
#endif
}

}  // namespace hbm::test::mutated_tests
