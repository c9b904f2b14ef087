#pragma once

/// The allocation dump as JSON.

#include <hbm/explain/dump_value.hpp>

#include <string>

namespace hbm {

/// The dump as a JSON object on a single line. Keys that end in `_bytes` are in bytes, `_ns` in nanoseconds; what does
/// not apply or is unknown is null.
[[nodiscard]] std::string to_json(const allocation_dump& dumped);

}  // namespace hbm
