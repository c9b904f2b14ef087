// Answers to several messages, bars, and messages that are not about a TPU.

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <string_view>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/headline.hpp"
#include "compare/message/message_samples.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"

namespace hbm::test::message_answer_tests {

using namespace hbm::imported;

namespace {

std::string answer(const std::string& text) {
    const reading<found_messages> found = read_messages("log", text);
    REQUIRE(found);
    return answers_to(*found);
}

bool has(const std::string& text, std::string_view words) {
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST_CASE("a failure in pieces after another of the same process is a retry") {
    const std::string retry = "This is a retry: the process failed before, at line 1, and went on.";
    for (const std::string& text :
         {samples::no_code + "\n" + samples::in_pieces, samples::full_device + "\n" + samples::blocked}) {
        const std::string words = answer(text);
        CHECK(words.find("(line 2") < words.find(retry));
        CHECK(words.find(retry) < words.find("Remedies", words.find("(line 2")));
        CHECK(has(words, "Start a new process for each attempt"));
    }
    CHECK_FALSE(has(answer(samples::in_pieces), "This is a retry"));
    CHECK_FALSE(has(answer(samples::in_pieces + "\n" + samples::full_device), "This is a retry"));
    CHECK_FALSE(has(answer(samples::compile + "\n" + samples::in_pieces), "This is a retry"));
}

TEST_CASE("bars: in the order of the sizes, in 80 columns") {
    for (const std::string& sample : samples::all) {
        const memory_message message = read_messages("log", sample)->messages.front();
        std::istringstream lines(bars(message));
        std::map<std::uint64_t, std::ptrdiff_t> cells;  // by size
        for (std::string line; std::getline(lines, line);) {
            CHECK(line.size() <= 80);
            const std::optional<rounded_size> size = read_rounded_size(line.substr(line.rfind(' ') + 1));
            REQUIRE(size);
            cells[size->bytes] = std::count(line.begin(), line.end(), '#');
            CHECK((size->bytes == 0) == (cells[size->bytes] == 0));
        }
        REQUIRE(cells.size() >= 2);
        CHECK(cells.rbegin()->second == 48);
        CHECK(std::is_sorted(cells.begin(), cells.end(),
                             [](const auto& a, const auto& b) { return a.second < b.second; }));
        CHECK(std::next(cells.rbegin())->second < 48);
    }
}

TEST_CASE("bars: none for a message without its numbers, or whose numbers contradict each other") {
    for (const char* text :
         {"Error allocating device buffer: Attempting to allocate 96.00M. That was",
          "Attempting to allocate 1.00G. That was not possible. There are 40.00G free.; the largest contiguous "
          "region of free memory is 15.75G due to fragmentation.",
          "Ran out of memory in memory space hbm. Used 1.00G of 15.75G hbm. Exceeded hbm capacity by 0B."})
        CHECK(bars(read_messages("log", text)->messages.front()).empty());
}

TEST_CASE("several messages: the first two and the last in full") {
    const std::string closing = "Not in the message: whose memory";
    const std::string text = answer(samples::full_device + "\n" + samples::blocked + "\n" + samples::no_code + "\n" +
                                    samples::early + "\n" + samples::full_device + "\n");
    CHECK(has(text, "(line 1, device 1x2x0_HBM1, there 2 times)\n"));
    CHECK(has(text, "(line 2)\n"));
    CHECK(has(text, "(line 4)\n"));
    CHECK_FALSE(has(text, "(line 3)\n"));
    CHECK(text.starts_with("4 different messages found.\n\nThe device is full"));
    CHECK(text.find(closing) != std::string::npos);
    CHECK(text.find(closing) == text.rfind(closing));
    CHECK_FALSE(has(answer(samples::full_device), "messages found"));
    CHECK(has(text, "Other messages, between the second and the last; give one alone to learn more:\n  line 3: "));
    std::string many;
    for (int each = 0; each < 100; ++each)
        many += "Error allocating device buffer: Attempting to allocate " + std::to_string(100 + each) +
                ".00M. That was not possible. There are 41.50M free.\n";
    const std::string most = answer(many);
    CHECK(most.starts_with("More than 64 different messages found.\n"));
    CHECK(has(most, "(line 100)\n"));  // the last
    CHECK(has(most, "  line 63: "));
    CHECK(has(most, "\n  and 36 more\n"));
}

}  // namespace hbm::test::message_answer_tests
