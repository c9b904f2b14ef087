#include "compare/managers/manager_type.hpp"

#include <hbm/donation/never_donate.hpp>
#include <hbm/eviction/never_evict.hpp>
#include <hbm/relief/relieve_cheapest.hpp>

#include <algorithm>
#include <array>
#include <string_view>

#include "compare/managers/named_managers.hpp"

namespace hbm::compare {

namespace {

bool is_null(std::string_view policy) {
    return policy == never_evict::name.c_str() || policy == never_donate::name.c_str() ||
           policy == relieve_cheapest::name.c_str();
}

/// A placement with its namespace before every name: `compacting<best_fit>` is `hbm::compacting<hbm::best_fit>`. The
/// innermost placement decides the width.
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
    std::string made = "hbm::manager<" + placement_text(of.placement, is_wide);
    const std::array policies{of.eviction, of.donation, of.relief};
    std::size_t count = policies.size();
    while (count != 0 && is_null(policies[count - 1])) --count;
    for (std::size_t at = 0; at < count; ++at) made += ", hbm::" + std::string(policies[at]);
    return made + ">";
}

std::size_t choices_of(const manager_entry& of) {
    const auto adaptors = std::count(of.placement.begin(), of.placement.end(), '<');
    std::size_t count = static_cast<std::size_t>(adaptors);
    for (const std::string_view policy : {of.eviction, of.donation, of.relief}) count += is_null(policy) ? 0U : 1U;
    return count;
}

}  // namespace hbm::compare
