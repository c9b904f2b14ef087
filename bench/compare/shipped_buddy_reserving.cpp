#include <hbm/placement/buddy.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_buddy_reserving() {
    return reserving_family<basic_buddy<std::uint32_t>>();
}
