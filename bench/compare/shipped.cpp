#include "compare/shipped.hpp"

#include <cstddef>

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
    add_family<best_fit_family>(all);
    add_family<best_fit_lifo_family>(all);
    add_family<first_fit_family>(all);
    add_family<good_fit_family>(all);
    add_family<buddy_family>(all);
    add_family<bfc_family>(all);
    add_family<single_family>(all);
    return all;
}

}  // namespace hbm::compare
