#pragma once

/// Readers on any bytes: an error says what was expected, a description is written as JSON.

#include <string>

#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/text/json_writer.hpp"
#include "fuzz/fuzzing.hpp"
#include "support/valid_json.hpp"

namespace hbm::test {

/// Expects a text to be JSON.
inline void expect_json(const std::string& text) {
    expect(is_valid_json(text), "what is written is JSON");
}

/// Expects a description to be written as JSON.
inline void expect_description(const imported::description& found) {
    json_writer json;
    imported::write_description(json, "x", found);
    expect_json(json.text());
}

/// Calls `read`. Expects of an error that it names its file and says what was expected.
template <class Read>
void expect_value_or_error(Read read) {
    try {
        read();
    } catch (const trace::read_error& why) {
        expect(why.file == "x" && !why.expected.empty(), "an error names its file and what was expected");
    }
}

}  // namespace hbm::test
