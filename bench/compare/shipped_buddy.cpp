#include <hbm/placement/buddy.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_buddy() {
    return plain_family<basic_buddy<std::uint32_t>>();
}
