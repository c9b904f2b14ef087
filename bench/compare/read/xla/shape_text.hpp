#pragma once
// Shapes as text, where only some files have the layouts.

#include <string>
#include <string_view>

namespace hbm::imported::xla {

/// A shape without layouts: all that stands in braces and in comments `/*index=5*/` is left out. O(length).
std::string without_layouts(std::string_view shape);

}  // namespace hbm::imported::xla
