#include "compare/shipped.hpp"

namespace hbm::compare {

namespace {

/// Adds a family; the wide entries come in the order of the narrow ones.
void add_family(manager_entries& into, const manager_entries& plain, const manager_entries& reserving,
                const manager_entries& wide) {
    std::size_t at = 0;
    for (const manager_entries* half : {&plain, &reserving}) {
        for (manager_entry each : *half) {
            each.shipped = true;
            each.wide = wide[at++].narrow;
            into.push_back(each);
        }
    }
}

}  // namespace

manager_entries shipped_managers() {
    manager_entries all;
    add_family(all, shipped_best_fit(), shipped_best_fit_reserving(), shipped_best_fit_wide());
    add_family(all, shipped_best_fit_lifo(), shipped_best_fit_lifo_reserving(), shipped_best_fit_lifo_wide());
    add_family(all, shipped_first_fit(), shipped_first_fit_reserving(), shipped_first_fit_wide());
    add_family(all, shipped_good_fit(), shipped_good_fit_reserving(), shipped_good_fit_wide());
    add_family(all, shipped_buddy(), shipped_buddy_reserving(), shipped_buddy_wide());
    add_family(all, shipped_bfc(), {}, shipped_bfc_wide());
    add_family(all, shipped_singly(), {}, shipped_singly_wide());
    return all;
}

}  // namespace hbm::compare
