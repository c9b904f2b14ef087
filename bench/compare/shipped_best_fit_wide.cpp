#include <hbm/placement/best_fit.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_best_fit_wide() {
    return whole_family<basic_best_fit<std::uint64_t>>();
}
