#include <hbm/placement/best_fit.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_best_fit() {
    return plain_family<basic_best_fit<std::uint32_t>>();
}
