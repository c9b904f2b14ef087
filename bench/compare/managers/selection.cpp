#include "compare/managers/selection.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

#include "compare/managers/chosen_managers.hpp"
#include "compare/managers/named_managers.hpp"
#include "compare/managers/torch_caching.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::compare {

namespace {

bool is_called(const manager_entry& each, std::string_view pattern) {
    return glob_matches(pattern, each.name) || glob_matches(pattern, each.full_name) ||
           glob_matches(pattern, short_name(each));
}

/// Adds the words of a name: the texts between signs that are not letters.
void add_words(std::string_view text, std::set<std::string_view>& words) {
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && (text[end] == '_' || (text[end] >= 'a' && text[end] <= 'z'))) ++end;
        if (end != at) words.insert(text.substr(at, end - at));
        at = end + 1;
    }
}

/// Returns the error of a name or pattern that matches nothing, with a word that is close to a wrong one in it.
usage_error no_match(std::string_view pattern, const manager_entries& all) {
    std::set<std::string_view> known;
    for (const manager_entry& each : all)
        for (const std::string_view name : {each.full_name, short_name(each)}) add_words(name, known);
    std::set<std::string_view> asked;
    add_words(pattern, asked);
    std::string hint = ". A name is placement/eviction/donation.";
    for (const std::string_view word : asked) {
        const auto has_word = [&](std::string_view each) { return each.find(word) != std::string_view::npos; };
        if (std::any_of(known.begin(), known.end(), has_word)) continue;
        const std::string near = trace::nearest_words(word, known, [](std::string_view each) { return each; });
        hint = "; nothing is called " + trace::quoted(word) + near;
        if (near != ".") break;
    }
    return usage_error("--manager: no manager is called " + trace::quoted(pattern) + hint +
                       " All names: hbm_compare --list");
}

struct policy_words {
    std::string_view name;
    std::string_view what;
};

/// Policies in the order of descriptions.
constexpr std::array policies{
    policy_words{"best_fit_lifo", "the smallest hole that fits, ties to the latest"},
    policy_words{"best_fit", "the smallest hole that fits"},
    policy_words{"first_fit", "the lowest hole that fits"},
    policy_words{"good_fit", "a hole of about the size, in O(1)"},
    policy_words{"buddy", "powers of two"},
    policy_words{"bfc", "the bins of XLA's allocator on GPUs"},
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

/// Returns a description of a manager in a few words, policy by policy.
std::string description_of(const manager_entry& of) {
    if (const named_manager* const known = find_named(of.name); known != nullptr)
        return std::string(known->models) + ": " + std::string(known->stands_for);
    if (of.is_model) return std::string(modelled_system);
    if (!of.shipped) return "your own";
    std::set<std::string_view> names;
    add_words(of.full_name, names);
    std::string words;
    for (const policy_words& each : policies)
        if (names.contains(each.name)) append_item(words, each.what, "; ");
    if (short_name(of) != of.name) append_item(words, "short name " + std::string(short_name(of)), "; ");
    return words;
}

}  // namespace

void choose_managers(const options& asked, std::span<const manager_entry> own, chosen_managers& into) {
    manager_entries& all = into.all;
    all = shipped_managers();
    all.push_back(torch_caching_entry());
    all.insert(all.end(), own.begin(), own.end());
    std::set<std::string_view> names;
    for (const manager_entry& each : all)
        if (!names.insert(each.full_name).second)
            throw usage_error("two managers are called `" + std::string(each.full_name) + "`; give yours another name");
    for (const std::string& pattern : asked.managers) {
        const auto is_meant = [&](const manager_entry& each) { return is_called(each, pattern); };
        if (std::any_of(all.begin(), all.end(), is_meant)) continue;
        const std::optional<manager_entry> unlisted = chosen_manager(pattern);
        if (!unlisted) throw no_match(pattern, all);
        all.push_back(*unlisted);
    }
    for (const manager_entry& each : all) {
        bool takes_part = asked.managers.empty() && (asked.what == task::list || is_default(each));
        for (const std::string& pattern : asked.managers) takes_part = takes_part || is_called(each, pattern);
        if (takes_part) into.who.managers.push_back(&each);
    }
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
        text += line + description_of(*each) + '\n';
    }
    return text;
}

}  // namespace hbm::compare
