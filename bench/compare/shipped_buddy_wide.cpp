#include "compare/shipped.hpp"

#include <hbm/placement/buddy.hpp>

hbm::compare::manager_entries hbm::compare::shipped_buddy_wide() { return whole_family<basic_buddy<std::uint64_t>>(); }
