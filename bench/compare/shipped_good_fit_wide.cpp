#include <hbm/placement/good_fit.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_good_fit_wide() {
    return whole_family<basic_good_fit<std::uint64_t>>();
}
