#include <hbm/placement/bfc.hpp>

#include "compare/families.hpp"

hbm::compare::manager_entries hbm::compare::shipped_bfc() {
    return bare_family<basic_bfc<std::uint32_t>>();
}
