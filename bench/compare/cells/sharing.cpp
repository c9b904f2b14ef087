#include "compare/cells/sharing.hpp"

#include <hbm/relief/never_relieve.hpp>

#include <map>
#include <string>

namespace hbm::compare {

namespace {

/// What distinguishes a manager on this workload: managers with the same text have the same figures. Eviction and
/// relief policies matter only if there are programs, donation only if something is donated, and moving only if memory
/// is limited.
std::string distinction(const manager_entry& each, const scenario& in) {
    if (!each.shipped) return "own " + std::string(each.full_name);
    const bool nothing_fails = in.how == limit::unlimited && each.has_footprint;
    constexpr std::string_view permission = "compacting<";
    std::string words(each.placement);
    if (nothing_fails && words.starts_with(permission))
        words = words.substr(permission.size(), words.size() - permission.size() - 1);
    const auto add = [&](std::string_view policy) { words.append("/").append(policy); };
    if (in.has_programs && !nothing_fails) add(each.eviction);
    if (in.has_donations) add(each.donation);
    if (!nothing_fails && (in.has_programs || each.relief == never_relieve::name.c_str())) add(each.relief);
    return words;
}

}  // namespace

sharing share(const selection& who, const scenario& in) {
    sharing made;
    std::map<std::string, std::size_t> known;
    for (const manager_entry* each : who.managers) {
        const auto [place, is_new] = known.emplace(distinction(*each, in), made.first.size());
        if (is_new) made.first.push_back(each);
        const manager_entry*& first = made.first[place->second];
        if (!first->is_timed() && each->is_timed()) first = each;
        made.cell_of.push_back(place->second);
    }
    return made;
}

}  // namespace hbm::compare
