#pragma once
// The result of a reader.

#include "compare/read/read_error.hpp"
#include "compare/read/value_or_error.hpp"

namespace hbm::imported {

/// Result of a reader: a value, or an error with its place in the file.
template <class Value>
using reading = trace::value_or_error<Value, trace::read_error>;

}  // namespace hbm::imported
