#include <hbm/placement/good_fit.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_good_fit() {
    return plain_family<basic_good_fit<std::uint32_t>>();
}
