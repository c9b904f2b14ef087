// Reading out-of-memory messages, wherever and however they were pasted.

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/answers/message/answer.hpp"
#include "compare/message/message_samples.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"
#include "support/golden_text.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::message_tests {

using namespace hbm::imported;

namespace {

found_messages found_in(const std::string& text) {
    const reading<found_messages> match = read_messages("log", text);
    REQUIRE_MESSAGE(match, text);
    return *match;
}
memory_message only_one(const std::string& text) {
    const found_messages match = found_in(text);
    REQUIRE_MESSAGE(match.messages.size() == 1, text);
    return match.messages.front();
}
std::string words(const std::optional<rounded_size>& size) {
    return size ? in_words(*size) : "-";
}
/// The message without where it stands.
memory_message anywhere(memory_message from) {
    from.line = from.column = 0;
    from.times = 1;
    return from;
}
std::string replaced(std::string text, const std::string& from, const std::string& to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
    return text;
}

}  // namespace

TEST_CASE("a message reads the same however it was pasted") {
    const memory_message plain = anywhere(only_one(samples::compile));
    SUBCASE("amid other lines") {
        const memory_message match = only_one("epoch 3\nloss 0.4\n" + samples::compile + "Traceback:\n  exit\n");
        CHECK(anywhere(match) == plain);
        CHECK(match.line == 3);
    }
    SUBCASE("with a stamp on every line") {
        const std::string stamp = "2024-05-04 09:05:40.721128: E external/org/file.cc:76] ";
        CHECK(anywhere(only_one(stamp + replaced(samples::compile, "\n", "\n" + stamp))) == plain);
        const std::string other = "E1111 07:35:00.272763 140408571025152 error_handling.py:81] ";
        CHECK(anywhere(only_one(other + replaced(samples::compile, "\n", "\n" + other))) == plain);
    }
    SUBCASE("indented, and with line ends of Windows") {
        CHECK(anywhere(only_one(replaced(samples::compile, "\n", "\r\n        "))) == plain);
    }
    SUBCASE("in JSON, where line ends are written out") {
        std::string json = replaced(samples::compile, "\"", "\\\"");
        json = "{\"log\":\"" + replaced(json, "\n", "\\n") + "\"}";
        CHECK(anywhere(only_one(json)) == plain);
        CHECK(anywhere(only_one(replaced(json, "\\", "\\\\"))) == plain);
    }
    SUBCASE("in Markdown") {
        std::string text = replaced(samples::compile, "\n", "\n> ");
        text = replaced(replaced(text, "1. Size", "1\\. **Size:**"), "**:", "**");
        text = replaced(replaced(text, ">= 18", "&gt;= **18"), "25G:", "25G**:");
        CHECK(anywhere(only_one("> " + text)) == plain);
    }
    SUBCASE("with lines run together") {
        std::string text = replaced(samples::compile, "\n", " ");
        const memory_message match = anywhere(only_one(text));
        CHECK(match.usage == plain.usage);
        CHECK(match.requirement == plain.requirement);
        CHECK(match.listed == plain.listed);
    }
    SUBCASE("with lines broken anywhere between words") {
        const memory_message match = only_one(replaced(samples::compile.substr(0, 760), " ", "\n"));
        CHECK(match.asked == plain.asked);
        CHECK(match.exceeded == plain.exceeded);
        CHECK(match.usage == plain.usage);
        CHECK(match.output == plain.output);
        CHECK(match.requirement == plain.requirement);
    }
}

TEST_CASE("of many messages in one text the first and the last are kept") {
    std::string many;
    for (int entry = 0; entry < 100; ++entry)
        many += replaced(samples::full_device, "96.00M", std::to_string(100 + entry) + ".00M") + "\n";
    CHECK(found_in(many).messages.size() == 64);
    CHECK(found_in(many).left_out == 36);
    CHECK(words(found_in(many).messages.back().asked) == "199.00M");  // the last is kept
    CHECK(found_in(many).messages[62].line == 63);
}

namespace {

constexpr std::size_t portion = 65536;
found_messages in_portions(const std::string& text) {
    const reading<found_messages> match = read_messages("log", text, portion);
    REQUIRE(match);
    return *match;
}

}  // namespace

TEST_CASE("a long log is read to its end, wherever portions of it end") {
    std::string text;
    while (text.size() < (5u << 20)) text += "step 17 loss 0.25 learning rate 0.001, and so on\n";
    text += samples::compile;
    const found_messages match = found_in(text);
    REQUIRE(match.messages.size() == 1);
    CHECK(anywhere(match.messages.front()) == anywhere(only_one(samples::compile)));
    CHECK(match.messages.front().line > 100'000);

    // The same messages, pushed on over the end of a portion at 64 KiB.
    const std::string part = samples::compile + "\n" + samples::ledger + "\n" + samples::no_scratch + "\n";
    const found_messages alone = found_in(part);
    const std::string before(portion - part.size() - 10, '\n');
    const std::size_t step = tries_all_seeds() ? 13 : 130;
    for (std::size_t more = 0; more < part.size() + 20; more += step) {
        const found_messages seen = in_portions(before + std::string(more, '\n') + part);
        CAPTURE(more);
        REQUIRE(seen.messages.size() == alone.messages.size());
        for (std::size_t at = 0; at < alone.messages.size(); ++at) {
            CHECK(anywhere(seen.messages[at]) == anywhere(alone.messages[at]));
            CHECK(seen.messages[at].line == before.size() + more + alone.messages[at].line);
        }
    }
}

TEST_CASE("a message that is repeated over many portions is counted, and the one after it is found") {
    std::string text;
    std::size_t times = 0;
    for (; text.size() < 5 * portion; ++times) text += samples::full_device + "\n";
    const found_messages match = in_portions(text + samples::no_scratch + "\n");
    REQUIRE(match.messages.size() == 2);
    CHECK(match.messages[0].times == times);
    CHECK(match.messages[1].kind == message_kind::reservation);
    CHECK(match.messages[1].line == times + 1);
    CHECK(match.left_out == 0);
}

TEST_CASE("messages: their descriptions are those of the golden file") {
    std::string text;
    for (const std::string& sample : {samples::compile, samples::no_scratch}) {
        const reading<description> match = describe_message(sample, "log");
        REQUIRE(match);
        hbm::json_writer json;
        write_description(json, "log", *match);
        text += json.text() + "\n";
    }
    CHECK(text == golden_text("compare/message/described.txt", "descriptions", text));
}

namespace {

/// Reads a text and answers its messages.
void survives(const std::string& text) {
    const found_messages match = found_in(text);
    CHECK(match.messages.size() + match.samples.size() > 0);
    CHECK((match.messages.empty() || !answers_to(match).empty()));
}

}  // namespace

TEST_CASE("many key words, long lines and deep brackets take no longer than their length") {
    for (const std::string_view entry :
         {"Total hbm usage >= ", "1. Size: ", "Attempting to reserve ", "Error loading program '", "TC Hbm usage ",
          "Total ", "\\\\\\", "HBM capacity 1.00G: ", "(((((", "bytes_in_use: 1 ",
          "Allocation (size=1) would exceed memory ", "reserved ", "&&&&", "> > > ", "{'bytes_in_use': 1, ",
          "Input memory: ", "CompiledMemoryStats("}) {
        std::string text = samples::full_device + "\n";
        while (text.size() < 100'000) text += entry;
        survives(text);
    }
    survives(samples::compile + std::string(1'000'000, ' ') + samples::compile);
    survives(samples::full_device + std::string(5'000'000, 'x'));
}

}  // namespace hbm::test::message_tests
