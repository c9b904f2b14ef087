#include <hbm/placement/best_fit_lifo.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_best_fit_lifo_reserving() {
    return reserving_family<basic_best_fit_lifo<std::uint32_t>>();
}
