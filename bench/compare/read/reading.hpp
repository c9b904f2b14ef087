#pragma once
// What a reader returns: a value, or where the file is wrong.

#include <optional>
#include <utility>

#include "compare/read/read_error.hpp"

namespace hbm::imported {

/// Holds a value or a `trace::read_error`. Reading the value of a failure, or the error of a success, is undefined.
template <class Value>
class outcome {
public:
    /// A success.
    outcome(Value value) : value_(std::move(value)) {}
    /// A failure.
    outcome(trace::read_error problem) : error_(std::move(problem)) {}

    /// Whether there is a value.
    explicit operator bool() const { return value_.has_value(); }
    /// Whether there is a value.
    bool has_value() const { return value_.has_value(); }

    Value& operator*() { return *value_; }                ///< the value
    const Value& operator*() const { return *value_; }    ///< the value
    Value* operator->() { return &*value_; }              ///< the value
    const Value* operator->() const { return &*value_; }  ///< the value

    /// Why there is no value.
    const trace::read_error& error() const { return error_; }

private:
    std::optional<Value> value_;
    trace::read_error error_;
};

}  // namespace hbm::imported
