#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_singly() {
    return single_managers<std::uint32_t>();
}
