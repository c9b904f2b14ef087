#pragma once
// Errors of reading a file, with the line and column.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "compare/replay/workload.hpp"
#include "compare/text/gzip.hpp"
#include "compare/text/text.hpp"

namespace hbm::trace {

/// Value or error. Requires: the value of a failure, and the error of a success, are never read.
template <class Value, class Error>
class value_or_error {
public:
    /// Constructs a success.
    value_or_error(Value value) : value_(std::move(value)) {}
    /// Constructs a failure.
    value_or_error(Error error) : error_(std::move(error)) {}

    /// Returns true if there is a value.
    explicit operator bool() const { return value_.has_value(); }
    /// Returns true if there is a value.
    bool has_value() const { return value_.has_value(); }

    Value& operator*() { return *value_; }                ///< the value
    const Value& operator*() const { return *value_; }    ///< the value
    Value* operator->() { return &*value_; }              ///< the value
    const Value* operator->() const { return &*value_; }  ///< the value

    /// Returns the error of a failure.
    const Error& error() const { return error_; }

private:
    std::optional<Value> value_;
    Error error_{};
};

/// Error in a file: its position, the text found there and the text expected.
struct read_error {
    std::string file;        ///< name of the file as the caller passed it
    std::size_t line = 0;    ///< line from 1, counting every line; 0 if the error is about the whole file
    std::size_t column = 0;  ///< byte in the line at which the wrong cell begins, from 1; 0 without a cell
    std::string found;       ///< text found at this place; empty if the file cannot be opened
    std::string expected;    ///< text expected at this place, or the reason why the file cannot be opened

    /// Returns `FILE:LINE:COLUMN: found ..., expected ...`, or `FILE: found ..., expected ...` for a whole file, or
    /// `cannot open FILE: ...`. Escapes control characters of FILE.
    std::string message() const {
        std::string words = printable(file);
        if (found.empty()) return "cannot open " + words + ": " + expected;
        if (line != 0) {
            words += ':' + decimal(line);
            words += ':' + decimal(column);
        }
        return words + ": found " + found + ", expected " + expected;
    }
};

/// Returns the error for gzip data that were not unpacked to at most `most` bytes; `what` names what was expected in
/// them.
[[nodiscard]] read_error error_of(unpacking outcome, std::string file, std::size_t most, const std::string& what);

/// The result of reading: a workload or a `read_error`.
using read_result = value_or_error<workload, read_error>;

}  // namespace hbm::trace

namespace hbm::imported {

/// Result of a reader: a value, or an error with its place in the file.
template <class Value>
using reading = trace::value_or_error<Value, trace::read_error>;

/// Returns the error that the text of `file` is wrong at its byte `at`, counted from 0. Cost: O(at).
[[nodiscard]] trace::read_error error_at(std::string_view text, std::size_t at, std::string_view file,
                                         std::string content, std::string expected);

/// Returns the error at byte `at`, with the text found there.
[[nodiscard]] trace::read_error error_at(std::string_view text, std::size_t at, std::string_view file,
                                         std::string expected);

}  // namespace hbm::imported
