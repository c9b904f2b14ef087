#include "compare/managers/named_managers.hpp"

#include <hbm/donation/donation.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/planning/planner.hpp>
#include <hbm/tpu/managers.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "compare/managers/torch_caching.hpp"

namespace hbm::compare {

static_assert(runtime_manager.stands_for == tpu::runtime_memory::name.c_str());
static_assert(named_managers[1].stands_for == xla_bfc::name.c_str());

const named_manager* find_named(std::string_view name) {
    const auto found = std::find_if(named_managers.begin(), named_managers.end(),
                                    [&](const named_manager& entry) { return entry.name == name; });
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
    std::vector<std::string> result;
    for (const manager_entry* entry : who.managers) {
        const std::string name(short_name(*entry));
        if (const named_manager* const known = find_named(entry->name); known != nullptr)
            result.push_back(name + " = " + std::string(known->stands_for) + ": " + std::string(known->models));
        else if (entry->is_model)
            result.push_back(name + " = " + std::string(modelled_system));
        else if (name != entry->name)
            result.push_back(name + " = " + std::string(entry->name));
    }
    return result;
}

namespace {

bool is_null(std::string_view policy) {
    return policy == never_evict::name.c_str() || policy == never_donate::name.c_str() ||
           policy == relieve_cheapest::name.c_str();
}

/// Returns a placement with its namespace before every name: `compacting<best_fit>` is
/// `hbm::compacting<hbm::best_fit>`. The innermost placement decides the width.
std::string placement_text(std::string_view name, bool is_wide) {
    const std::size_t opened = name.find('<');
    if (opened == std::string_view::npos)
        return is_wide ? "hbm::basic_" + std::string(name) + "<std::uint64_t>" : "hbm::" + std::string(name);
    const std::string_view inner = name.substr(opened + 1, name.size() - opened - 2);
    return "hbm::" + std::string(name.substr(0, opened + 1)) + placement_text(inner, is_wide) + ">";
}

}  // namespace

std::string type_text(const manager_entry& of, bool is_wide) {
    if (!of.shipped) return std::string(of.name);
    if (find_named(of.name) != nullptr && !is_wide) return "hbm::" + std::string(of.name);
    std::string result = "hbm::manager<" + placement_text(of.placement, is_wide);
    const std::array policies{of.eviction, of.donation, of.relief};
    std::size_t count = policies.size();
    while (count != 0 && is_null(policies[count - 1])) --count;
    for (std::size_t at = 0; at < count; ++at) result += ", hbm::" + std::string(policies[at]);
    return result + ">";
}

std::size_t choices_of(const manager_entry& of) {
    const auto adaptors = std::count(of.placement.begin(), of.placement.end(), '<');
    std::size_t count = static_cast<std::size_t>(adaptors);
    for (const std::string_view policy : {of.eviction, of.donation, of.relief}) count += is_null(policy) ? 0U : 1U;
    return count;
}

}  // namespace hbm::compare
