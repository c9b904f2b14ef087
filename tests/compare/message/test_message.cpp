// Reading out-of-memory messages, wherever and however they were pasted.

#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "compare/answers/message/answer.hpp"
#include "compare/message/message_samples.hpp"
#include "compare/read/message/message.hpp"
#include "compare/text/rounded_size.hpp"
#include "support/damaged.hpp"

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

TEST_CASE("a buffer that could not be allocated") {
    const memory_message match = only_one(samples::full_device);
    CHECK(match.kind == message_kind::buffer);
    CHECK(words(match.asked) == "96.00M");
    CHECK(words(match.free) == "41.50M");
    CHECK_FALSE(match.largest);
    CHECK(match.device == "1x2x0_HBM1");
    CHECK(match.line == 1);
    CHECK(match.column == 21);
    CHECK(words(only_one(samples::in_pieces).largest) == "2.25G");
}

TEST_CASE("a program that could not be loaded") {
    const memory_message scratch = only_one(samples::no_scratch);
    CHECK(scratch.kind == message_kind::reservation);
    CHECK(scratch.program == "jit_train_step");
    CHECK(words(scratch.asked) == "11.25G");
    CHECK(words(scratch.free) == "310.75M");
    CHECK(words(scratch.reserved) == "0B");
    CHECK(words(scratch.reservable) == "310.75M");
    CHECK(scratch.replicas == "replica 2 and partition 5");
    const memory_message code = only_one(samples::no_code);
    CHECK(code.kind == message_kind::load);
    CHECK(code.program == "jit_sample");
    CHECK(words(code.asked) == "1.40G");
    CHECK(words(code.free) == "1.38G");
    CHECK_FALSE(code.reserved);
}

TEST_CASE("the wording of older drivers") {
    const memory_message match = only_one(samples::old_driver);
    CHECK(match.kind == message_kind::buffer);
    CHECK(match.asked->bytes == 20971520);
    CHECK(match.asked->is_exact());
    CHECK(match.free->bytes == 29360128);
    CHECK(match.largest->bytes == 8388608);
    CHECK(match.device == "0x0x0_HBM0");
}

TEST_CASE("a program that is too large, with all that the compiler says") {
    const memory_message match = only_one(samples::compile);
    CHECK(match.kind == message_kind::compile);
    CHECK(match.space == "hbm");
    CHECK(words(match.asked) == "18.00G");
    CHECK(words(match.capacity) == "15.75G");
    CHECK(words(match.exceeded) == "2.25G");
    REQUIRE(match.usage);
    CHECK(words(match.usage->total) == "18.25G");
    CHECK(words(match.usage->reserved) == "256.00M");
    CHECK(words(match.usage->program) == "10.00G");
    CHECK(words(match.usage->arguments) == "8.00G");
    REQUIRE(match.output);
    CHECK(words(match.output->size) == "6.00G");
    CHECK(words(match.output->shared) == "5.00G");
    REQUIRE(match.requirement);
    CHECK(words(match.requirement->total) == "10.00G");
    CHECK_FALSE(match.requirement->reserved);
    CHECK(words(match.requirement->global) == "64.0K");
    CHECK(words(match.requirement->scoped) == "1.00M");
    CHECK(words(match.requirement->temporaries) == "10.00G");
    CHECK(words(match.requirement->unpadded) == "9.60G");
    CHECK(words(match.requirement->padded) == "9.95G");
    CHECK(words(match.requirement->fragmentation) == "51.20M");
    REQUIRE(match.listed.size() == 2);
    CHECK(match.listed[0].rank == 1);
    CHECK(words(match.listed[0].size) == "2.00G");
    CHECK(words(match.listed[0].unpadded) == "1.00G");
    CHECK(words(match.listed[0].padding) == "1.00G");
    CHECK(match.listed[0].origin == "op_name=\"jit(f)/dot_general[x=1]\" source_file=\"a.py\" source_line=3");
    CHECK(match.listed[0].shape == "bf16[65536,128,64]{2,1,0:T(8,128)(2,1)}");
    CHECK(match.listed[0].label == "%fusion.1 = bf16[65536,128,64]{2,1,0:T(8,128)(2,1)} fusion(%p), kind=kLoop");
    CHECK(match.listed[0].type == "HLO temp");
    CHECK(match.listed[1].rank == 2);
    CHECK(match.listed[1].origin.empty());
    CHECK_FALSE(match.listed[1].padding);
    CHECK(match.listed[1].label == "%copy.2 = copy(%p)");
}

TEST_CASE("what is not stated is not zero") {
    const memory_message match =
        only_one("Ran out of memory in memory space hbm. Used 17.60G of 16.00G hbm. Exceeded hbm capacity by 1.60G.\n\n"
                 "Total hbm usage >= 17.60G:\n    reserved        528.00M\n    program          17.08G\n    arguments  "
                 "     unknown "
                 "size\n\nOutput size unknown.\n");
    REQUIRE(match.usage);
    CHECK(words(match.usage->program) == "17.08G");
    CHECK_FALSE(match.usage->arguments);
    REQUIRE(match.output);
    CHECK_FALSE(match.output->size);
    CHECK_FALSE(match.requirement);
}

TEST_CASE("other messages of the compiler") {
    const memory_message early = only_one(samples::early);
    CHECK(early.kind == message_kind::early_abort);
    CHECK(words(early.asked) == "1.50T");
    CHECK(words(early.capacity) == "90.50G");
    const memory_message cores = only_one(samples::cores);
    CHECK(cores.kind == message_kind::cores);
    CHECK(words(cores.tensor_core) == "20.50G");
    CHECK(words(cores.sparse_core) == "90.25G");
    CHECK(words(cores.asked) == "110.75G");
    CHECK(words(cores.capacity) == "94.75G");
    const memory_message single = only_one(samples::single);
    CHECK(single.kind == message_kind::exceeds);
    CHECK(single.asked->bytes == 34359738368);
    CHECK(single.capacity->bytes == 17179869184);
    CHECK(single.space == "hbm");
    CHECK(single.shape == "f32[65536,131072]{1,0:T(8,128)}");
    CHECK(single.owner == "output of dot@{}");
    CHECK(only_one(samples::on_chip).space == "vmem");
    CHECK_FALSE(only_one(samples::on_chip).of_device_memory());
}

TEST_CASE("the ledger of a failed load, with exact bytes") {
    const memory_message match = only_one(samples::ledger);
    CHECK(match.kind == message_kind::load);
    CHECK(match.asked->bytes == 3758096384);
    CHECK(match.free->bytes == 3758096384 - 2147483648);
    CHECK(match.ledger->allocated->bytes == 6442450944);
    CHECK(match.ledger->top_reserved->bytes == 536870912);
    CHECK(words(match.ledger->largest) == "2.00G");
    CHECK(words(match.requirement->temporaries) == "3.48G");
    CHECK(words(match.usage->program) == "3.50G");
}

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

TEST_CASE("the end of a list of usage is read where its beginning is missing") {
    const std::string tail = samples::compile.substr(samples::compile.find("    program"));
    const memory_message match = only_one(tail);
    CHECK(match.kind == message_kind::report);
    REQUIRE(match.usage);
    CHECK_FALSE(match.usage->total);
    CHECK(words(match.usage->program) == "10.00G");
    CHECK(words(match.usage->arguments) == "8.00G");
    CHECK(match.listed.size() == 2);
}

TEST_CASE("several messages in one text, and one several times") {
    std::string text = samples::no_scratch + "\n" + samples::full_device + "\n";
    text += replaced(samples::no_scratch, "partition 5", "partition 6") + "\n" + samples::compile + samples::early;
    const found_messages match = found_in(text);
    REQUIRE(match.messages.size() == 4);
    CHECK(match.messages[0].kind == message_kind::reservation);
    CHECK(match.messages[0].times == 2);
    CHECK(match.messages[0].replicas == "replica 2 and partition 5");
    CHECK(match.messages[1].kind == message_kind::buffer);
    CHECK(match.messages[1].line == 2);
    CHECK(match.messages[2].kind == message_kind::compile);
    CHECK(match.messages[3].kind == message_kind::early_abort);
    CHECK(match.left_out == 0);

    std::string many;
    for (int entry = 0; entry < 100; ++entry)
        many += replaced(samples::full_device, "96.00M", std::to_string(100 + entry) + ".00M") + "\n";
    CHECK(found_in(many).messages.size() == 64);
    CHECK(found_in(many).left_out == 36);
    CHECK(words(found_in(many).messages.back().asked) == "199.00M");  // the last is kept
    CHECK(found_in(many).messages[62].line == 63);
}

TEST_CASE("measurements beside messages") {
    const found_messages match = found_in(
        "{'num_allocs': 3, 'bytes_in_use': 1048576, 'peak_bytes_in_use': 2097152, 'largest_alloc_size': 40960, "
        "'bytes_limit': 16911433728, 'bytes_reserved': 0, 'largest_free_block_bytes': 8388608}\n"
        "XLA::TPU program HBM usage: 1.25G / 15.75G\n");
    CHECK(match.messages.empty());
    REQUIRE(match.samples.size() == 2);
    CHECK(match.samples[0].in_use->bytes == 1048576);
    CHECK(match.samples[0].peak->bytes == 2097152);
    CHECK(match.samples[0].limit->bytes == 16911433728);
    CHECK(match.samples[0].largest->bytes == 8388608);
    CHECK(words(match.samples[1].program) == "1.25G");
    CHECK(words(match.samples[1].limit) == "15.75G");
    CHECK(match.samples[1].line == 2);
}

TEST_CASE("texts without a message, and numbers that are no sizes") {
    for (const std::string& text : {std::string{}, std::string("all went well\n"), std::string("Size: 3, Total")}) {
        const reading<found_messages> match = read_messages("log", text);
        REQUIRE_FALSE(match);
        CHECK(match.error().line == 0);
        CHECK(match.error().message().find("Error allocating device buffer") != std::string::npos);
    }
    const reading<found_messages> match =
        read_messages("log", "x\n  Attempting to allocate 99999999999999999999.00G. That was not possible.");
    REQUIRE_FALSE(match);
    CHECK(match.error().message() ==
          "log:2:26: found `99999999999999999999.00G`, expected a size below 2^64 bytes, such as 15.75G");
    const memory_message largest =
        only_one("Attempting to allocate 15.99E. That was not possible. There are 18446744073709551615 free.");
    CHECK(largest.free->bytes == ~std::uint64_t{0});
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
    for (std::size_t more = 0; more < part.size() + 20; more += 13) {
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

TEST_CASE("a message that is cut within a size says so") {
    const auto error_of = [](const std::string& text) {
        const reading<found_messages> messages = read_messages("log", text);
        return messages ? messages->unread : messages.error().message();
    };
    const std::string start = "Error allocating device buffer: Attempting to allocate 8.00M. That was not possible. ";
    const std::string whole = ", expected the whole message: a size with its unit, such as 15.75G, and what follows";
    CHECK(error_of(start + "There are 1.1") ==
          "log:1:96: found `1.1` at the end, where the message is cut off" + whole);
    CHECK(error_of(start + "There are 1\n\n") ==
          "log:1:96: found `1` at the end, where the message is cut off" + whole);
    CHECK(error_of(start + "There are 1.") == "log:1:96: found `1` at the end, where the message is cut off" + whole);
    CHECK(error_of(start + "There are 1.1 free.") == "log:1:96: found `1.1` without a unit, expected a size with its "
                                                     "unit, such as 15.75G: the message may be cut off");
    CHECK(error_of(start + "There are 1\n.43M free.") == "log:1:96: found `1` without a unit, expected a size with its "
                                                         "unit, such as 15.75G: the message may be cut off");
    CHECK(error_of(start + "There are 1\n6.43M free.").find("found `1` without a unit") != std::string::npos);
    CHECK(error_of(start + "There are 1.1K").empty());
    CHECK(error_of(start + "There are 0B free").empty());
    CHECK(error_of("bytes_in_use: 512").empty());
    CHECK(error_of("bytes_in_use: 512\n7 steps").empty());
    CHECK(error_of("{'bytes_in_use': 512").empty());
}

TEST_CASE("messages as JSON") {
    const reading<description> match = describe_message(samples::compile, "log");
    REQUIRE(match);
    CHECK(match->kind == file_kind::message);
    CHECK(match->argument_bytes == 8ull << 30);
    CHECK(match->output_bytes == 6ull << 30);
    CHECK(match->alias_bytes == 5ull << 30);
    CHECK(match->temp_bytes == 10ull << 30);
    CHECK(match->constant_bytes == 65536);
    CHECK(match->peak_bytes == 19595788288);
    hbm::json_writer json;
    write_description(json, "log", *match);
    CHECK(json.text().find("\"total\":{\"text\":\"18.25G\",\"bytes\":19595788288,\"off_by\":5368709.12}") !=
          std::string::npos);
    CHECK(json.text().find("\"shape_bytes\":2147483648,\"shape_unpadded_bytes\":1073741824") != std::string::npos);
    const reading<description> runtime = describe_message(samples::no_scratch, "log");
    REQUIRE(runtime);
    CHECK_FALSE(runtime->argument_bytes);
    CHECK(runtime->name == "jit_train_step");
}

using namespace hbm::imported;

namespace {

/// Reads a text and answers its messages where `answers`. An error names the file, and its line where it is one.
void survives(const std::string& text, bool answers) {
    const reading<found_messages> match = read_messages("log", text);
    if (!match) {
        CHECK(match.error().file == "log");
        CHECK_FALSE(match.error().found.empty());
        return;
    }
    for (const memory_message& entry : match->messages) {
        CHECK(entry.line > 0);
        CHECK(entry.column > 0);
    }
    CHECK(match->messages.size() + match->samples.size() > 0);
    CHECK(describe_message(text, "log"));
    if (answers) CHECK((match->messages.empty() || !answers_to(*match).empty()));
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
    for (const std::string_view entry :
         {"Total hbm usage >= ", "1. Size: ", "Attempting to reserve ", "Error loading program '", "TC Hbm usage ",
          "Total ", "\\\\\\", "HBM capacity 1.00G: ", "(((((", "bytes_in_use: 1 ",
          "Allocation (size=1) would exceed memory ", "reserved ", "&&&&", "> > > "}) {
        std::string text = samples::full_device + "\n";
        while (text.size() < 100'000) text += entry;
        survives(text, true);
    }
    survives(samples::compile + std::string(1'000'000, ' ') + samples::compile, true);
    survives(samples::full_device + std::string(5'000'000, 'x'), true);
}

}  // namespace hbm::test::message_tests
