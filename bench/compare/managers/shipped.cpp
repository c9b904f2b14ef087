#include "compare/managers/shipped.hpp"

#include <cstddef>

#include "compare/managers/named_managers.hpp"

namespace hbm::compare {

namespace {

template <class Family>
void add_family(manager_entries& into) {
    const std::vector<driver> wide = wide_drivers<Family>();
    std::size_t at = 0;
    for (manager_entry each : narrow_managers<Family>()) {
        each.shipped = true;
        each.wide = wide[at++];
        into.push_back(each);
    }
}

}  // namespace

manager_entries shipped_managers() {
    manager_entries all;
    add_family<best_fits>(all);
    add_family<other_fits>(all);
    add_family<other_placements>(all);
    add_named(all);
    return all;
}

}  // namespace hbm::compare
