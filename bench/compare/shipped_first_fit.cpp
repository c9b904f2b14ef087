#include <hbm/placement/first_fit.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_first_fit() {
    return plain_family<basic_first_fit<std::uint32_t>>();
}
