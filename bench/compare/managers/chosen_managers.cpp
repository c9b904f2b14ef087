#include "compare/managers/chosen_managers.hpp"

#include <set>
#include <string_view>

namespace hbm::compare {

namespace {

/// Managers are selected by name, so names must be unique.
std::string find_double(const manager_entries& all) {
    std::set<std::string_view> names;
    for (const manager_entry& each : all)
        if (!names.insert(each.full_name).second)
            return "two managers are called `" + std::string(each.full_name) + "`; give yours another name";
    return {};
}

}  // namespace

std::string choose_managers(const options& asked, std::span<const manager_entry> own, chosen_managers& into) {
    into.all = shipped_managers();
    into.all.insert(into.all.end(), own.begin(), own.end());
    if (std::string problem = find_double(into.all); !problem.empty()) return problem;
    if (!asked.list || !asked.managers.empty()) return select_managers(asked, into.all, into.who);
    options every = asked;
    every.managers.emplace_back("*");
    return select_managers(every, into.all, into.who);
}

}  // namespace hbm::compare
