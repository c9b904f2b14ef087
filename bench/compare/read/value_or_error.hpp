#pragma once
// A value, or the error that there is instead.

#include <optional>
#include <utility>

namespace hbm::trace {

/// Holds a value or an error. Requires: nobody reads the value of a failure, or the error of a success.
template <class Value, class Error>
class value_or_error {
public:
    /// A success.
    value_or_error(Value value) : value_(std::move(value)) {}
    /// A failure.
    value_or_error(Error error) : error_(std::move(error)) {}

    /// True if there is a value.
    explicit operator bool() const { return value_.has_value(); }
    /// True if there is a value.
    bool has_value() const { return value_.has_value(); }

    Value& operator*() { return *value_; }                ///< the value
    const Value& operator*() const { return *value_; }    ///< the value
    Value* operator->() { return &*value_; }              ///< the value
    const Value* operator->() const { return &*value_; }  ///< the value

    /// The error of a failure.
    const Error& error() const { return error_; }

private:
    std::optional<Value> value_;
    Error error_{};
};

}  // namespace hbm::trace
