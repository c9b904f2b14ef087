// Messages as they are read and answered. A section of messages.txt has a text, `---`, and the facts of each message in
// it, or the whole answer if its name begins with `answer`. A new section needs no more than its text: with
// HBM_WRITE_GOLDEN=1 the rest is written below it.

#include <hbm/tpu/generations.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "compare/answers/answers.hpp"
#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/words.hpp"
#include "compare/read/message/message.hpp"
#include "compare/show/show_answer.hpp"
#include "support/golden_text.hpp"
#include "support/valid_json.hpp"

namespace hbm::test::message_tests {

using namespace hbm::compare;
using imported::found_messages;
using imported::read_messages;

namespace {

std::string words(const answer_value& value) {
    if (value.bytes) return std::to_string(*value.bytes) + (value.text.empty() ? "" : " " + value.text);
    return value.count ? std::to_string(*value.count) : value.text.empty() ? "unknown" : value.text;
}

std::string facts_in(const std::string& log) {
    const found_messages found = read_messages(log);
    if (found.messages.empty()) return std::string(imported::no_message_in(log, "log").what()) + "\n";
    std::string text;
    for (const answer& each : message_answers(found)) {
        std::string facts;
        for (const answer_fact& fact : each.facts)
            if (fact.key != "times" || fact.value.count != 1)
                facts += (facts.empty() ? "" : "; ") + std::string(fact.key) + " " + words(fact.value);
        text += facts + "\n";
        for (const answer_table& table : each.tables)
            for (const auto& row : table.rows) {
                text += " ";
                for (const answer_value& cell : row) text += " " + words(cell);
                text += "\n";
            }
    }
    return found.unread.empty() ? text : text + "unread: " + found.unread + "\n";
}

std::string answer_to(const std::string& log, bool has_details = false) {
    const found_messages found = read_messages(log);
    if (found.messages.empty()) return answer_text(answer_log(log), has_details);
    return answer_text(message_answers(found), has_details);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

/// Returns the text of a section of messages.txt.
std::string section(std::string_view name) {
    for (const auto& [title, text] : golden_inputs("compare/message/messages.txt"))
        if (title == name) return text;
    FAIL(name);
    return {};
}

const std::string full_device = "Error allocating device buffer: Attempting to allocate 96.00M. That was not possible. "
                                "There are 41.50M free.; (1x2x0_HBM1)\n";

}  // namespace

TEST_CASE("messages: facts and answers are those of the golden file, and fit a screen") {
    check_golden_inputs("compare/message/messages.txt", [](const std::string& name, const std::string& log) {
        if (!name.starts_with("answer")) return facts_in(log);
        const std::string text = answer_to(log);
        CHECK(std::count(text.begin(), text.end(), '\n') <= 24);
        for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1)
            CHECK(text.find('\n', begin) - begin <= 80);
        return text;
    });
}

TEST_CASE("a message reads the same however it was pasted") {
    const std::string text = section("answer: a program that is too large, with all that the compiler says");
    const std::string plain = facts_in(text);
    const std::string stamp = "2024-05-04 09:05:40.721128: E external/org/file.cc:76] ";
    const std::string other = "E1111 07:35:00.272763 140408571025152 error_handling.py:81] ";
    CHECK(facts_in(stamp + replaced(text, "\n", "\n" + stamp)) == plain);
    CHECK(facts_in(other + replaced(text, "\n", "\n" + other)) == plain);
    CHECK(facts_in(replaced(text, "\n", "\r\n        ")) == plain);
    const std::string json = "{\"log\":\"" + replaced(replaced(text, "\"", "\\\""), "\n", "\\n") + "\"}";
    CHECK(facts_in(json) == plain);
    CHECK(facts_in(replaced(json, "\\", "\\\\")) == plain);
    std::string markdown = replaced(replaced(text, "\n", "\n> "), "1. Size:", "1\\. **Size:**");
    CHECK(facts_in("> " + replaced(markdown, ">= 18.25G", "&gt;= **18.25G**")) == plain);
    CHECK(facts_in(replaced(text, "\n", " ")) == plain);
    CHECK(facts_in("epoch 3\n" + text + "Traceback:\n") == replaced(plain, "line 1;", "line 2;"));
    const std::string sizes = text.substr(0, text.find("Largest"));
    CHECK(facts_in(replaced(sizes, " ", "\n")).substr(40) == facts_in(sizes).substr(40));
}

TEST_CASE("of many messages in one text the first and the last are kept") {
    std::string many;
    for (int each = 0; each < 100; ++each) many += replaced(full_device, "96.00M", std::to_string(100 + each) + ".00M");
    const found_messages found = read_messages(many);
    REQUIRE(found.messages.size() == 64);
    CHECK(found.left_out == 36);
    CHECK(found.messages[62].line == 63);
    CHECK(found.messages.back().line == 100);
    std::string repeated;
    while (repeated.size() < 1'000'000) repeated += full_device;
    CHECK(read_messages(repeated).messages.front().times == repeated.size() / full_device.size());
}

TEST_CASE("a message in another device, and in JSON") {
    const found_messages found = read_messages(section("answer: a program with much scratch"));
    const auto on = [&](const memory_spec& device) { return message_answers(found, {.device = &device}); };
    CHECK(
        on(tpu::v5p).front().headline.ends_with("On TPU v5p (95.74G) the 21.25G would fit, with 74.49G left, less what "
                                                "else is in memory."));
    CHECK(on(tpu::v5e).front().headline.ends_with("would not fit: 5.50G would be missing."));
    const std::string json = answer_json(on(tpu::v5e));
    CHECK(is_valid_json(json));
    CHECK(
        json.starts_with("{\"schema\":\"hbm-answer/1\",\"kind\":\"message\",\"headline\":\"Program 'jit_train_step'"));
    CHECK(json.find(
              "{\"key\":\"requested_bytes\",\"label\":\"requested\",\"bytes\":22817013760,\"printed\":\"21.25G\"}") !=
          std::string::npos);
}

TEST_CASE("a program without outputs that take over nothing has nothing to donate") {
    const found_messages found = read_messages(full_device);
    const auto donates = [&](bool may_donate) {
        const std::vector<answer> answers = message_answers(found, {.may_donate = may_donate});
        for (const answer_remedy& each : answers.front().remedies)
            if (each.text.find("onate") != std::string::npos) return true;
        return false;
    };
    CHECK(donates(true));
    CHECK_FALSE(donates(false));
}

TEST_CASE("many key words, long lines and deep brackets take no longer than their length") {
    for (const std::string_view entry : {"Total hbm usage >= ",
                                         "1. Size: ",
                                         "Attempting to reserve ",
                                         "Error loading program '",
                                         "TC Hbm usage ",
                                         "Total ",
                                         "\\\\\\",
                                         "HBM capacity 1.00G: ",
                                         "(((((",
                                         "bytes_in_use: 1 ",
                                         "Exceeded hbm capacity by ",
                                         "Allocation (size=1) would exceed memory ",
                                         "reserved ",
                                         "&&&&",
                                         "> > > ",
                                         "{'bytes_in_use': 1, ",
                                         "Input memory: ",
                                         "CompiledMemoryStats(",
                                         "\x1b[",
                                         "1,111",
                                         "There are "}) {
        std::string text = full_device;
        while (text.size() < 100'000) text += entry;
        CHECK_FALSE(answer_to(text, true).empty());
    }
    CHECK_FALSE(answer_to(full_device + std::string(1'000'000, ' ') + full_device).empty());
    CHECK_FALSE(answer_to(full_device + std::string(5'000'000, 'x')).empty());
}

TEST_CASE("shares, factors and generations") {
    CHECK(per_cent(1, 3) == 33);
    CHECK(per_cent(~std::uint64_t{0}, 1) == 1'000'000'000);
    CHECK(shares_needed(10, 3) == 4);
    CHECK(shares_needed(9, 0) == 0);
    CHECK(times_in_words(63, 10) == "6.3 times");
    CHECK(times_in_words(1, 0) == "many times");
    CHECK(times_in_words(1239, 1) == "1,230 times");
    CHECK(times_in_words(~std::uint64_t{0}, 1) == "18,400,000,000,000,000,000 times");
    CHECK(generations_with(imported::exactly(std::uint64_t{96} << 30)).empty());
}

}  // namespace hbm::test::message_tests
