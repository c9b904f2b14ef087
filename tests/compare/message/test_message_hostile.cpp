// Messages that were cut, doubled and damaged: an error, or what is whole.

#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/answers/message/answer.hpp"
#include "compare/message/message_samples.hpp"
#include "compare/read/message/describe_message.hpp"
#include "compare/read/message/message.hpp"
#include "support/damaged.hpp"

namespace hbm::test::message_hostile_tests {

using namespace hbm::imported;

namespace {

/// Reads a text and answers its messages where `answers`. An error names the file, and its line where it is one.
void survives(const std::string& text, bool answers) {
    const reading<found_messages> found = read_messages("log", text);
    if (!found) {
        CHECK(found.error().file == "log");
        CHECK_FALSE(found.error().found.empty());
        return;
    }
    for (const memory_message& each : found->messages) {
        CHECK(each.line > 0);
        CHECK(each.column > 0);
    }
    CHECK(found->messages.size() + found->samples.size() > 0);
    CHECK(describe_message(text, "log"));
    if (answers) CHECK((found->messages.empty() || !answers_to(*found).empty()));
}

const std::string* const all[] = {&samples::full_device, &samples::in_pieces,  &samples::no_scratch, &samples::blocked,
                                  &samples::no_code,     &samples::old_driver, &samples::compile,    &samples::early,
                                  &samples::cores,       &samples::single,     &samples::on_chip,    &samples::ledger};

}  // namespace

TEST_CASE("cut at each byte") {
    for (const std::string* whole : all)
        for (std::size_t length = 0; length <= whole->size(); ++length)
            survives(whole->substr(0, length), length % 64 == 0);
    for (const std::string* whole : all)
        for (std::size_t from = 0; from < whole->size(); from += 7) survives(whole->substr(from), false);
}

TEST_CASE("damaged at random") {
    constexpr std::string_view hostile[] = {"99999999999999999999G",
                                            "18446744073709551615",
                                            "-1",
                                            "0B",
                                            "\xff\xfe",
                                            "\n",
                                            "17.99E",
                                            "((((((((",
                                            "'",
                                            "\\",
                                            "1. Size:",
                                            "&gt;",
                                            "Total hbm usage",
                                            "Error loading program",
                                            "**"};
    for (std::uint64_t seed = 1; seed <= 3000; ++seed) {
        CAPTURE(seed);
        hbm::testing::random_numbers random(seed);
        std::string text = *all[random.below(std::size(all))];
        if (random.once_in(4)) text += "\n" + *all[random.below(std::size(all))];
        survives(damaged(text, hostile, random), seed % 8 == 0);
    }
}

TEST_CASE("many key words, long lines and deep brackets take no longer than their length") {
    for (const std::string_view each :
         {"Total hbm usage >= ", "1. Size: ", "Attempting to reserve ", "Error loading program '", "TC Hbm usage ",
          "Total ", "\\\\\\", "HBM capacity 1.00G: ", "(((((", "bytes_in_use: 1 ",
          "Allocation (size=1) would exceed memory ", "reserved ", "&&&&", "> > > "}) {
        std::string text = samples::full_device + "\n";
        while (text.size() < 100'000) text += each;
        survives(text, true);
    }
    survives(samples::compile + std::string(1'000'000, ' ') + samples::compile, true);
    survives(samples::full_device + std::string(5'000'000, 'x'), true);
}

}  // namespace hbm::test::message_hostile_tests
