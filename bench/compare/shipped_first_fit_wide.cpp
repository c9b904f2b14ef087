#include <hbm/placement/first_fit.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_first_fit_wide() {
    return whole_family<basic_first_fit<std::uint64_t>>();
}
