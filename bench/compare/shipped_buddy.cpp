#include "compare/shipped.hpp"

#include <hbm/placement/buddy.hpp>

hbm::compare::manager_entries hbm::compare::shipped_buddy() { return plain_family<basic_buddy<std::uint32_t>>(); }
