#include "compare/managers/shipped.hpp"

#include <string>
#include <string_view>

#include "compare/managers/chosen_managers.hpp"
#include "compare/managers/default_managers.hpp"
#include "compare/managers/named_managers.hpp"

namespace hbm::compare {

namespace {

/// Listed names besides those of the default managers: each placement alone and with an adaptor, each policy on best
/// fit and in place of one of tpu::runtime_memory.
constexpr std::string_view others[] = {
    "compacting<best_fit>",
    "bottom_reserve<best_fit>",
    "compacting<first_fit>",
    "bottom_reserve<first_fit>",
    "compacting<good_fit>",
    "bottom_reserve<good_fit>",
    "compacting<buddy>",
    "bottom_reserve<buddy>",
    "bfc",
    "bfc/never_evict/donate_same_size",
    "free_together<best_fit>",
    "compacting<free_together<best_fit>>",
    "lifetimes_apart<best_fit>",
    "compacting<lifetimes_apart<best_fit>>",
    "best_fit/never_evict/donate_same_size",
    "best_fit/never_evict/donate_fitting",
    "best_fit/evict_lru",
    "best_fit/evict_lru/donate_same_size",
    "best_fit/evict_greedy_dual",
    "best_fit/evict_cheapest_window",
    "compacting<best_fit>/evict_lru",
    "compacting<best_fit>/evict_lru/donate_same_size",
    "compacting<best_fit>/evict_greedy_dual/donate_same_size",
    "bottom_reserve<compacting<best_fit>>/evict_lru",
    "bottom_reserve<compacting<best_fit>>/evict_lru/donate_fitting",
    "bottom_reserve<compacting<best_fit>>/evict_greedy_dual/donate_fitting",
    "bottom_reserve<compacting<best_fit>>/evict_cheapest_window/donate_same_size",
    "bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size/never_relieve",
    "bottom_reserve<compacting<free_together<best_fit>>>/evict_lru/donate_same_size",
    "bottom_reserve<compacting<lifetimes_apart<best_fit>>>/evict_lru/donate_same_size",
    "bottom_reserve<compacting<best_fit_lifo>>",
    "bottom_reserve<compacting<best_fit_lifo>>/evict_lru/donate_same_size",
    "bottom_reserve<compacting<best_fit_lifo>>/evict_greedy_dual/donate_same_size",
    "best_fit_lifo/evict_greedy_dual",
};

manager_entries list() {
    manager_entries result;
    for (const named_manager& known : named_managers) {
        result.push_back(*chosen_manager(known.stands_for));
        result.back().name = result.back().full_name = known.name;
    }
    for (const default_manager& known : default_managers())
        if (find_named(known.name) == nullptr) result.push_back(*chosen_manager(known.name));
    for (const std::string_view name : others) result.push_back(*chosen_manager(name));
    return result;
}

}  // namespace

manager_entries shipped_managers() {
    static const manager_entries all = list();
    return all;
}

}  // namespace hbm::compare
