#include "compare/managers/selection.hpp"

#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

#include "compare/managers/chosen_managers.hpp"
#include "compare/managers/shipped.hpp"
#include "compare/managers/texts.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::compare {

namespace {

bool is_called(const manager_entry& each, std::string_view pattern) {
    return glob_matches(pattern, each.name) || glob_matches(pattern, each.full_name) ||
           glob_matches(pattern, short_name(each));
}

/// Returns the names closest to a given name, between backticks. A name that begins with it counts as close, whatever
/// its length.
std::string close_names(std::string_view asked, std::span<const manager_entry> all) {
    constexpr std::size_t max_names = 3;
    const auto distance = [&](const manager_entry& each) -> std::size_t {
        if (each.name.starts_with(asked) && !asked.empty()) return 0;
        return std::min({trace::edit_distance(asked, each.name), trace::edit_distance(asked, each.full_name),
                         trace::edit_distance(asked, short_name(each))});
    };
    std::vector<std::pair<std::size_t, std::string_view>> ranked;
    for (const manager_entry& each : all) ranked.emplace_back(distance(each), each.name);
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string names;
    for (std::size_t at = 0; at < max_names && at < ranked.size(); ++at)
        append_item(names, '`' + std::string(ranked[at].second) + '`');  // whole: names differ at their ends
    return names;
}

/// Returns the words of names: the texts between signs that are not letters.
std::vector<std::string_view> words_of(std::string_view text) {
    std::vector<std::string_view> made;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && (text[end] == '_' || (text[end] >= 'a' && text[end] <= 'z'))) ++end;
        if (end != at) made.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return made;
}

/// Returns the error of an unknown name.
std::string unknown_name(std::string_view option, std::string_view name, std::span<const manager_entry> all) {
    return filled(texts::unknown_manager,
                  {{"option", std::string(option)}, {"name", trace::quoted(name)}, {"names", close_names(name, all)}});
}

/// Returns the error of a pattern that matches no name, with a policy whose name is close to a word of the pattern.
std::string unmatched_pattern(std::string_view pattern, std::span<const manager_entry> all) {
    std::vector<std::string_view> known;
    for (const manager_entry& each : all)
        for (const std::string_view word : words_of(each.full_name))
            if (std::find(known.begin(), known.end(), word) == known.end()) known.push_back(word);
    for (const std::string_view word : words_of(pattern)) {
        const bool is_part = std::any_of(known.begin(), known.end(), [&](std::string_view each) {
            return each.find(word) != std::string_view::npos;
        });
        if (is_part) continue;
        const std::string near = trace::nearest_words(word, known, [](std::string_view each) { return each; });
        if (near != ".")
            return filled(texts::unknown_policy,
                          {{"name", trace::quoted(pattern)}, {"policy", trace::quoted(word)}, {"nearest", near}});
    }
    return filled(texts::unmatched_pattern, {{"name", trace::quoted(pattern)}});
}

std::string no_match(std::string_view pattern, std::span<const manager_entry> all) {
    const bool is_name = pattern.find_first_of("*?") == std::string_view::npos;
    return is_name ? unknown_name("--manager", pattern, all) : unmatched_pattern(pattern, all);
}

}  // namespace

void select_managers(const options& asked, manager_entries& all, selection& into) {
    const auto is_listed = [&](const std::string& pattern) {
        return std::any_of(all.begin(), all.end(), [&](const manager_entry& each) { return is_called(each, pattern); });
    };
    for (const std::string& pattern : asked.managers) {
        if (is_listed(pattern)) continue;
        const std::optional<manager_entry> unlisted = chosen_manager(pattern);
        if (!unlisted || !is_called(*unlisted, pattern)) throw usage_error(no_match(pattern, all));
        all.push_back(*unlisted);
    }
    for (const manager_entry& each : all) {
        const bool takes_part = asked.managers.empty()
                                    ? is_default(each)
                                    : std::any_of(asked.managers.begin(), asked.managers.end(),
                                                  [&](const std::string& pattern) { return is_called(each, pattern); });
        if (takes_part) into.managers.push_back(&each);
    }
}

}  // namespace hbm::compare
