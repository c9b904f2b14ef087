#include "compare/managers/named_managers.hpp"

#include <hbm/tpu/managers.hpp>

#include <algorithm>

namespace hbm::compare {

static_assert(runtime_manager.stands_for == tpu::runtime_memory::name.c_str());
static_assert(named_managers[1].stands_for == xla_bfc::name.c_str());

void add_named(manager_entries& shipped) {
    manager_entries added;
    for (const named_manager& each : named_managers) {
        const auto found = std::find_if(shipped.begin(), shipped.end(),
                                        [&](const manager_entry& entry) { return entry.name == each.stands_for; });
        if (found == shipped.end()) continue;
        added.push_back(*found);
        added.back().name = each.name;
        added.back().full_name = each.name;
    }
    shipped.insert(shipped.begin(), added.begin(), added.end());
}

const named_manager* find_named(std::string_view name) {
    const auto found = std::find_if(named_managers.begin(), named_managers.end(),
                                    [&](const named_manager& each) { return each.name == name; });
    return found == named_managers.end() ? nullptr : &*found;
}

bool same_manager(const manager_entry& a, const manager_entry& b) {
    return a.shipped && b.shipped && a.placement == b.placement && a.eviction == b.eviction &&
           a.donation == b.donation && a.relief == b.relief;
}

bool is_second_name(const selection& who, std::size_t at) {
    const auto end = who.managers.begin() + static_cast<std::ptrdiff_t>(at);
    return std::any_of(who.managers.begin(), end,
                       [&](const manager_entry* earlier) { return same_manager(*earlier, *who.managers[at]); });
}

std::size_t count_managers(const selection& who) {
    std::size_t count = 0;
    for (std::size_t at = 0; at < who.managers.size(); ++at)
        if (!is_second_name(who, at)) ++count;
    return count;
}

std::string group_name(std::string_view first, std::size_t others) {
    return std::string(first) + (others == 0 ? "" : " (and " + std::to_string(others) + " more)");
}

std::vector<std::string> names_explained(const selection& who) {
    std::vector<std::string> made;
    for (const manager_entry* each : who.managers)
        if (const named_manager* const known = find_named(each->name); known != nullptr)
            made.push_back(std::string(known->name) + " is " + std::string(known->stands_for) + ": " +
                           std::string(known->models) + ".");
    return made;
}

}  // namespace hbm::compare
