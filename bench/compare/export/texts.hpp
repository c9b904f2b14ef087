#pragma once

/// Every sentence in files for other viewers, with placeholders in braces.

#include <string_view>

namespace hbm::compare::texts {

inline constexpr std::string_view cell_name = "{manager}, {workload}";
inline constexpr std::string_view equal_managers = "and {count} more that cannot differ here: {names}";

}  // namespace hbm::compare::texts
