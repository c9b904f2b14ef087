#include "compare/managers/manager_list.hpp"

#include <hbm/eviction/more_scores.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "compare/managers/shipped.hpp"
#include "compare/managers/models/model_entries.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/managers/texts.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::compare {

namespace {

struct policy_words {
    std::string_view name;
    std::string_view what;
};

/// Placements in the order of the text.
constexpr std::array placements{
    policy_words{"best_fit_lifo", "the smallest hole that fits, ties to the latest"},
    policy_words{"best_fit", "the smallest hole that fits"},
    policy_words{"first_fit", "the lowest hole that fits"},
    policy_words{"good_fit", "a hole of about the size, in O(1)"},
    policy_words{"buddy", "powers of two"},
    policy_words{"bfc", "the bins of XLA's allocator on GPUs"},
};

constexpr std::array other_policies{
    policy_words{"bottom_reserve", "scratch at the bottom"},
    policy_words{"compacting", "may move blocks"},
    policy_words{"free_together", "keeps free memory together"},
    policy_words{"lifetimes_apart", "brief blocks from one end"},
    policy_words{"evict_lru", "evicts what was used least recently"},
    policy_words{"evict_greedy_dual", "evicts by size, cost and use"},
    policy_words{"evict_cheapest_window", "evicts the cheapest stretch"},
    policy_words{"donate_same_size", "donors of the same size"},
    policy_words{"donate_fitting", "donors of any sufficient size"},
    policy_words{"compact_first", "moves before it evicts"},
    policy_words{"evict_first", "evicts before it moves"},
    policy_words{"rent_or_buy", "moves until that cost what evicting would"},
    policy_words{"never_relieve", "neither moves nor evicts"},
};

/// Returns true if `name` stands in `text` as a whole name: `best_fit` does not stand in `best_fit_lifo`.
bool has_name(std::string_view text, std::string_view name) {
    const auto is_part = [](char each) { return each == '_' || (each >= 'a' && each <= 'z'); };
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end]))) return true;
    }
    return false;
}

}  // namespace

std::string manager_words(const manager_entry& of) {
    if (const named_manager* const known = find_named(of.name); known != nullptr)
        return filled(texts::model_and_manager,
                      {{"models", std::string(known->models)}, {"manager", std::string(known->stands_for)}});
    if (of.is_model) return std::string(modelled_system(of));
    if (!of.shipped) return std::string(texts::own_manager);
    std::string words;
    const auto add = [&](std::string_view text, const auto& all) {
        for (const policy_words& each : all)
            if (has_name(text, each.name)) append_item(words, each.what, "; ");
    };
    add(of.placement, placements);
    add(of.placement, other_policies);
    for (const std::string_view policy : {of.eviction, of.donation, of.relief}) add(policy, other_policies);
    if (short_name(of) != of.name)
        append_item(words, filled(texts::short_name, {{"name", std::string(short_name(of))}}), "; ");
    return words;
}

std::string list_text(const selection& who) {
    constexpr std::size_t usual = 40;  // longer names are followed by two blanks
    std::size_t width = 0;
    for (const manager_entry* each : who.managers) width = std::max(width, each->name.size());
    width = std::min(width, usual);
    std::string text;
    for (const manager_entry* each : who.managers) {
        std::string line(each->name);
        line.resize(std::max(width, line.size()) + 2, ' ');
        text += line + manager_words(*each) + '\n';
    }
    return text;
}

void choose_managers(const options& asked, std::span<const manager_entry> own, chosen_managers& into) {
    into.all = shipped_managers();
    const manager_entries models = model_entries();
    into.all.insert(into.all.end(), models.begin(), models.end());
    into.all.insert(into.all.end(), own.begin(), own.end());
    std::set<std::string_view> names;
    for (const manager_entry& each : into.all)
        if (!names.insert(each.full_name).second)
            throw usage_error("two managers are called `" + std::string(each.full_name) + "`; give yours another name");
    options every = asked;
    if (asked.what == task::list && asked.managers.empty()) every.managers.emplace_back("*");
    select_managers(every, into.all, into.who);
}

}  // namespace hbm::compare
