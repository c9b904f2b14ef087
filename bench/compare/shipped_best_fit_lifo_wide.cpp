#include <hbm/placement/best_fit_lifo.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_best_fit_lifo_wide() {
    return whole_family<basic_best_fit_lifo<std::uint64_t>>();
}
