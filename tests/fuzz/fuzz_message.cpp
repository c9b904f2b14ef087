// Out-of-memory messages amid any other text, and the answers to them.
#include <cstddef>
#include <cstdint>

#include "compare/answers/message/answer.hpp"
#include "compare/read/message/message.hpp"
#include "compare/show/show_answer.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    const std::string_view text = test::text_of(data, size);
    const imported::found_messages found = imported::read_messages(text);
    const std::vector<compare::answer> answers = compare::message_answers(found);
    test::expect(answers.size() == found.messages.size(), "a message has an answer");
    for (const imported::memory_message& message : found.messages)
        test::expect(message.line > 0, "a message has a place");
    for (const compare::answer& each : answers) test::expect_json(compare::answer_json({&each, 1}));
    test::expect(!found.messages.empty() || !imported::no_message_in(text, "x").expected.empty(), "an error says why");
    test::expect_description(imported::describe(found));
    return 0;
}
