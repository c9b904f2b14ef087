#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_orders() {
    return orders_of_relief<std::uint32_t>();
}
