#pragma once
// A value, or an error in its place.

#include <optional>
#include <utility>

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

}  // namespace hbm::trace
