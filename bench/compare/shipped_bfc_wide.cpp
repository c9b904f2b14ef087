#include <hbm/placement/bfc.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_bfc_wide() {
    return bare_family<basic_bfc<std::uint64_t>>();
}
