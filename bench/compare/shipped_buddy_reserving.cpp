#include "compare/shipped.hpp"

#include <hbm/placement/buddy.hpp>

hbm::compare::manager_entries hbm::compare::shipped_buddy_reserving() {
    return reserving_family<basic_buddy<std::uint32_t>>();
}
