#include "compare/managers/default_managers.hpp"

#include <algorithm>
#include <array>

namespace hbm::compare {

namespace {

constexpr std::array defaults{
    default_manager{"tpu::runtime_memory"},
    default_manager{"xla_bfc"},
    default_manager{"best_fit"},
    default_manager{"bottom_reserve<compacting<best_fit>>", "reserve+compact"},
    default_manager{"bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size"},
    default_manager{"bottom_reserve<compacting<best_fit>>/evict_greedy_dual/donate_same_size", "runtime+greedy_dual"},
    default_manager{"bottom_reserve<compacting<best_fit>>/evict_cheapest_window/donate_fitting", "runtime+window"},
    default_manager{"best_fit_lifo"},
    default_manager{"best_fit_lifo/never_evict/donate_same_size", "lifo+donate"},
    default_manager{"best_fit_lifo/evict_lru", "lifo+lru"},
    default_manager{"best_fit_lifo/evict_lru/donate_same_size", "lifo+lru+donate"},
    default_manager{"compacting<best_fit_lifo>", "compact"},
    default_manager{"compacting<best_fit_lifo>/evict_lru/donate_same_size", "compact+lru+donate"},
    default_manager{"bottom_reserve<best_fit_lifo>", "reserve"},
    default_manager{"first_fit"},
    default_manager{"good_fit"},
    default_manager{"buddy"},
    default_manager{"bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size/compact_first",
                    "runtime+compact_first"},
    default_manager{"bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size/evict_first",
                    "runtime+evict_first"},
    default_manager{"bottom_reserve<compacting<best_fit>>/evict_lru/donate_same_size/rent_or_buy",
                    "runtime+rent_or_buy"},
};

}  // namespace

std::span<const default_manager> default_managers() {
    return defaults;
}

std::string_view short_name(const manager_entry& subject) {
    const auto match = std::find_if(defaults.begin(), defaults.end(),
                                    [&](const default_manager& entry) { return entry.name == subject.name; });
    return !subject.shipped || match == defaults.end() || match->alias.empty() ? subject.name : match->alias;
}

}  // namespace hbm::compare
