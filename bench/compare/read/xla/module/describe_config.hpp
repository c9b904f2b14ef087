#pragma once
// What --describe says of the configuration of a module.

#include "compare/read/description.hpp"
#include "compare/read/xla/assignment/describe_assignment.hpp"
#include "compare/read/xla/module/module_config.hpp"

namespace hbm::imported::xla {

/// What the configuration of a module says. With `global_shapes` the bytes are those of whole arrays, of which a device
/// holds a share. O(arrays).
[[nodiscard]] description describe(const module_config& of);

}  // namespace hbm::imported::xla
