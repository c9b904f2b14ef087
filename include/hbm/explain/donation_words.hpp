#pragma once

#include <hbm/explain/explanation.hpp>
#include <hbm/explain/words.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace hbm::detail {

/// An argument of a run: its index, and its name or "".
using indexed_name = std::pair<std::uint32_t, std::string>;

/// Returns arguments as a list: `argument 0, 'a'` or `arguments 0 ('a') and 2 ('b')`.
/// More than four: ranges of indices, such as `0-27`, and the first name.
[[nodiscard]] inline std::string arguments_in_words(const std::vector<indexed_name>& arguments) {
    constexpr std::size_t most_names = 4;
    const auto& [first, name] = arguments.front();
    if (arguments.size() == 1) return "argument " + std::to_string(first) + (name.empty() ? "" : ", '" + name + "'");
    std::vector<std::string> parts;
    for (std::size_t at = 0; at < arguments.size();) {
        std::size_t last = at;
        while (arguments.size() > most_names && last + 1 < arguments.size() &&
               arguments[last + 1].first == arguments[last].first + 1)
            ++last;
        parts.push_back(std::to_string(arguments[at].first));
        if (last != at) parts.back() += "-" + std::to_string(arguments[last].first);
        if (arguments.size() <= most_names && !arguments[at].second.empty())
            parts.back() += " ('" + arguments[at].second + "')";
        at = last + 1;
    }
    const bool is_long = arguments.size() > most_names && !name.empty();
    return "arguments " + list_in_words(parts) +
           (is_long ? " ('" + name + "' and " + std::to_string(arguments.size() - 1) + " more)" : "");
}

[[nodiscard]] inline std::string donation_in_words(const named_advice& given) {
    std::vector<indexed_name> fresh;
    std::vector<indexed_name> offered;
    for (std::size_t i = 0; i < given.what.donate.size(); ++i)
        (given.was_donated[i] ? offered : fresh).emplace_back(given.what.donate[i], given.donated[i].name);
    std::vector<std::string> parts;
    if (!fresh.empty()) parts.push_back("donate " + arguments_in_words(fresh));
    if (!offered.empty()) parts.push_back("let outputs take over donated " + arguments_in_words(offered));
    return list_in_words(parts);
}

}  // namespace hbm::detail
