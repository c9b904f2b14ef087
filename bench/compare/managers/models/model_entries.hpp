#pragma once

/// Models of allocators of other programs. They are compared, and never recommended.

#include "compare/managers/shipped.hpp"

namespace hbm::compare {

/// Returns PyTorch's caching allocator. It rounds to 512 bytes whatever the quantum of a comparison, and its highest
/// end is what it reserves.
[[nodiscard]] manager_entries model_entries();

/// Returns the system that a model stands for, in words; empty for other managers.
[[nodiscard]] std::string_view modelled_system(const manager_entry& subject);

}  // namespace hbm::compare
