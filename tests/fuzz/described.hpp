#pragma once

/// A description that a reader returns, written as JSON and read back.

#include <string>

#include "compare/read/csv/read.hpp"
#include "compare/read/description.hpp"
#include "compare/read/read_error.hpp"
#include "compare/text/json_writer.hpp"
#include "fuzz/fuzzing.hpp"
#include "support/valid_json.hpp"

namespace hbm::test {

/// Expects of an error that it says what was expected.
inline void expect_error(const trace::read_error& why) {
    expect(why.file == "x" && !why.expected.empty(), "an error names its file and what was expected");
}

/// Expects a text to be JSON.
inline void expect_json(const std::string& text) {
    expect(is_valid_json(text), "what is written is JSON");
}

/// Expects that a value is written as JSON, and that a failure has words.
inline void expect_description(const imported::reading<imported::description>& read) {
    if (!read) return expect_error(read.error());
    json_writer json;
    imported::write_description(json, "x", *read);
    expect_json(json.text());
}

/// Expects that a trace is written as CSV and read back, and that a failure has words.
inline void expect_trace(const trace::read_result& parsed) {
    if (!parsed) return expect_error(parsed.error());
    const auto again = trace::read_text(trace::to_csv(*parsed), "x");
    expect(again && again->rows == parsed->rows, "a trace comes back from its CSV");
}

}  // namespace hbm::test
