#include "compare/managers/shipped.hpp"

#include <algorithm>
#include <string_view>

#include "compare/managers/chosen_managers.hpp"
#include "compare/managers/named_managers.hpp"

namespace hbm::compare {

namespace {

struct listed_manager {
    std::string_view name;
    std::string_view alias = {};  ///< name for tables and the command line; empty: the name is short
    bool is_default = false;
};

/// Managers without a name of their own: the default ones, each placement alone and with an adaptor, each policy on
/// best fit and in place of one of tpu::runtime_memory.
constexpr listed_manager others[] = {
    {"bottom_reserve<compacting<best_fit_lifo>>/evict_cheapest_window/donate_same_size", "lifo+window", true},
    {"bottom_reserve<compacting<best_fit>>/evict_greedy_dual/donate_fitting", "greedy", true},
    {"compacting<best_fit>", "compact", true},
    {"best_fit", {}, true},
    {"first_fit", {}, true},
    {"buddy", {}, true},
    {"best_fit_lifo"},
    {"good_fit"},
    {"bfc"},
    {"compacting<best_fit_lifo>", "lifo+compact"},
    {"compacting<first_fit>"},
    {"compacting<good_fit>"},
    {"compacting<buddy>"},
    {"bottom_reserve<best_fit>", "reserve"},
    {"bottom_reserve<best_fit_lifo>"},
    {"bottom_reserve<first_fit>"},
    {"bottom_reserve<good_fit>"},
    {"bottom_reserve<buddy>"},
    {"free_together<best_fit>"},
    {"compacting<free_together<best_fit>>"},
    {"lifetimes_apart<best_fit>"},
    {"compacting<lifetimes_apart<best_fit>>"},
    {"bfc/never_evict/donate_same_size"},
    {"best_fit/never_evict/donate_same_size"},
    {"best_fit/never_evict/donate_fitting"},
    {"best_fit/evict_lru"},
    {"best_fit/evict_lru/donate_same_size"},
    {"best_fit/evict_greedy_dual"},
    {"best_fit/evict_cheapest_window"},
    {"best_fit_lifo/never_evict/donate_same_size", "lifo+donate"},
    {"best_fit_lifo/evict_lru", "lifo+lru"},
    {"best_fit_lifo/evict_lru/donate_same_size", "lifo+lru+donate"},
    {"best_fit_lifo/evict_greedy_dual"},
    {"compacting<best_fit>/evict_lru"},
    {"compacting<best_fit>/evict_lru/donate_same_size", "compact+lru+donate"},
    {"compacting<best_fit>/evict_greedy_dual/donate_same_size"},
    {"compacting<best_fit_lifo>/evict_lru/donate_same_size", "lifo+compact+lru+donate"},
    {"bottom_reserve<compacting<best_fit>>", "reserve+compact"},
    {"bottom_reserve<compacting<best_fit>>/evict_lru"},
    {"bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size"},
    {"bottom_reserve<compacting<best_fit>>/evict_lru/donate_fitting"},
    {"bottom_reserve<compacting<best_fit>>/evict_greedy_dual/donate_same_size", "runtime+greedy_dual"},
    {"bottom_reserve<compacting<best_fit>>/evict_cheapest_window/donate_same_size"},
    {"bottom_reserve<compacting<best_fit>>/evict_cheapest_window/donate_fitting", "runtime+window"},
    {"bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size/compact_first", "runtime+compact_first"},
    {"bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size/evict_first", "runtime+evict_first"},
    {"bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size/rent_or_buy", "runtime+rent_or_buy"},
    {"bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size/never_relieve"},
    {"bottom_reserve<compacting<free_together<best_fit>>>/evict_lru/donate_same_size"},
    {"bottom_reserve<compacting<lifetimes_apart<best_fit>>>/evict_lru/donate_same_size"},
    {"bottom_reserve<compacting<best_fit_lifo>>"},
    {"bottom_reserve<compacting<best_fit_lifo>>/evict_lru/donate_same_size"},
    {"bottom_reserve<compacting<best_fit_lifo>>/evict_greedy_dual/donate_same_size"},
};

const listed_manager* find_listed(const manager_entry& entry) {
    const auto known = std::find_if(std::begin(others), std::end(others),
                                    [&](const listed_manager& each) { return each.name == entry.name; });
    return !entry.shipped || known == std::end(others) ? nullptr : &*known;
}

manager_entries list() {
    manager_entries result;
    for (const named_manager& known : named_managers) {
        result.push_back(*chosen_manager(known.stands_for));
        result.back().name = result.back().full_name = known.name;
    }
    for (const listed_manager& each : others) result.push_back(*chosen_manager(each.name));
    return result;
}

}  // namespace

manager_entries shipped_managers() {
    static const manager_entries all = list();
    return all;
}

bool is_default(const manager_entry& entry) {
    if (entry.is_model || find_named(entry.name) != nullptr) return true;
    const listed_manager* const listed = find_listed(entry);
    return listed != nullptr ? listed->is_default : !entry.shipped;
}

std::string_view short_name(const manager_entry& entry) {
    const listed_manager* const listed = find_listed(entry);
    return listed == nullptr || listed->alias.empty() ? entry.name : listed->alias;
}

}  // namespace hbm::compare
