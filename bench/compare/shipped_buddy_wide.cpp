#include <hbm/placement/buddy.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_buddy_wide() {
    return whole_family<basic_buddy<std::uint64_t>>();
}
