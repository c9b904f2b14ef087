#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_singly_wide() {
    return single_managers<std::uint64_t>();
}
