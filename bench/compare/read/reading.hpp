#pragma once
// The result of a reader.

#include "compare/read/read_error.hpp"
#include "compare/read/value_or_error.hpp"

namespace hbm::imported {

/// A value that was read, or the place where a file is wrong.
template <class Value>
using reading = trace::value_or_error<Value, trace::read_error>;

}  // namespace hbm::imported
