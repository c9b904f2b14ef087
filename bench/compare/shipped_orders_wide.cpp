#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_orders_wide() {
    return orders_of_relief<std::uint64_t>();
}
