// Whole texts on messages. A section of a file has a log, `---`, and the texts on its messages, a sentence to a
// line. The first word of its name selects these: `headlines`; `answers` with the remedies and figures that no section
// above has; a `whole` answer; `json`; `devices`; `changes` since the message in the first line; or verdicts `on` a
// device. A new section needs no more than its log: with HBM_WRITE_GOLDEN=1 the texts are written below it.

#include <hbm/core/memory_spec.hpp>
#include <hbm/tpu/generations.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/devices.hpp"
#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/elsewhere.hpp"
#include "compare/answers/message/headline.hpp"
#include "compare/answers/message/json.hpp"
#include "compare/answers/message/largest.hpp"
#include "compare/answers/message/remedies.hpp"
#include "compare/answers/message/remedy_texts.hpp"
#include "compare/read/message/message.hpp"
#include "support/golden_text.hpp"

namespace hbm::test::message_text_tests {

using namespace hbm::imported;

namespace {

found_messages read(const std::string& text) {
    const reading<found_messages> messages = read_messages("log", text);
    REQUIRE(messages);
    return *messages;
}

/// Returns the device that a section is about: `on v5e: ..`.
memory_spec device_of(const std::string& section) {
    for (const memory_spec& device : tpu::generations)
        if (section.starts_with("on " + std::string(device.name) + ":")) return device;
    return {.capacity = std::uint64_t{18} << 30};
}

/// Returns the remedies and figures of a message that are not in `printed` yet.
std::string new_lines(const memory_message& message, std::set<std::string>& printed) {
    const diagnosis shortage = diagnose(message);
    std::string text;
    const auto add = [&](const std::string& line) { text += printed.insert(line).second ? line + "\n" : ""; };
    for (const remedy& advice : remedies_for(message, shortage)) add("- " + advice.text);
    for (const auto& [size, meaning] : figures_of(message, shortage)) add(size + "  " + meaning);
    return text + largest_in_words(message);
}

/// Returns the texts on the messages of a log that the name of a section selects.
std::string texts_on(const std::string& section, const std::string& log, std::set<std::string>& printed) {
    const auto is = [&](const char* kind) { return section.starts_with(kind); };
    if (is("devices")) return devices_in_words(log);
    if (is("changes")) {
        const std::size_t line = log.find('\n') + 1;
        return changes_in_words(read(log.substr(line)).messages.front(), read(log.substr(0, line)));
    }
    const found_messages all = read(log);
    if (is("whole")) return answers_to(all);
    if (is("json")) return message_json(all) + "\n";
    std::string text;
    for (const memory_message& message : all.messages) {
        const diagnosis shortage = diagnose(message);
        if (is("on")) text += on_device(message, shortage, device_of(section)).text + "\n";
        if (is("headlines") || is("answers")) text += headline(message, shortage) + "\n";
        if (is("answers")) text += new_lines(message, printed);
    }
    return text;
}

}  // namespace

TEST_CASE("texts on messages: those of their golden files") {
    for (const std::string file : {"messages.txt", "remedies.txt", "elsewhere.txt"}) {
        std::set<std::string> printed;
        check_golden_inputs("compare/answers/" + file, [&](const std::string& section, const std::string& log) {
            return texts_on(section, log, printed);
        });
    }
}

TEST_CASE("texts on programs of JAX: those of their golden file") {
    std::string text;
    for (const remedy_texts::framework_program& program : remedy_texts::framework_programs) {
        const std::string name(program.name);
        text += known_program(name) + "\n- " + remedy_of_known_program(name) + "\n";
    }
    CHECK(text == golden_text("compare/answers/jax_programs.txt", "programs", text));
    CHECK(known_program("jit_step").empty());
}

}  // namespace hbm::test::message_text_tests
