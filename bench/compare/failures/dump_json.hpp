#pragma once

/// The allocation dump as JSON.

#include <hbm/explain/dump_value.hpp>

#include <string>

namespace hbm {

/// Returns the dump as a JSON object on a single line. Keys that end in `_bytes` are in bytes, `_ns` in nanoseconds;
/// inapplicable and unknown values are null.
[[nodiscard]] std::string to_json(const allocation_dump& dumped);

}  // namespace hbm
