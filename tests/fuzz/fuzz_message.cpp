// Out-of-memory messages amid any other text, and the answers to them.
#include <cstddef>
#include <cstdint>

#include "compare/answers/message/answer.hpp"
#include "compare/read/message/message.hpp"
#include "fuzz/described.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace hbm;
    const std::string_view text = test::text_of(data, size);
    const auto read = imported::read_messages("x", text);
    if (read) {
        test::expect(read->messages.empty() || !imported::answers_to(*read).empty(), "a message has an answer");
        for (const imported::memory_message& message : read->messages)
            test::expect(message.line > 0 && message.column > 0, "a message has a place");
    } else {
        test::expect(!read.error().found.empty(), "an error names what was found");
    }
    test::expect_description(imported::describe_message(text, "x"));
    return 0;
}
