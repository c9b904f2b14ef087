#include "compare/texts/luck_words.hpp"

#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "compare/managers/default_managers.hpp"
#include "compare/replay/numbers.hpp"

namespace hbm::compare {

namespace {

/// Returns a size without its unit if that is the last character of `like`.
std::string without_unit(std::uint64_t bytes, const std::string& like) {
    std::string words = size_in_words(bytes);
    if (words.back() == like.back()) words.pop_back();
    return words;
}

/// Returns a manager of each cell in each group of needs that differ by luck alone: `a, b; c, d`.
std::string equal_words(const comparison& compared, const selection& selected) {
    std::vector<std::optional<luck>> needs;
    for (const cell& entry : compared.cells) needs.push_back(entry.needs);
    std::vector<std::optional<std::size_t>> left = groups_within_luck(needs);
    std::map<std::size_t, std::string> groups;
    for (std::size_t at = 0; at < selected.managers.size(); ++at) {
        std::optional<std::size_t>& group = left[compared.cell_of[at]];
        if (!group) continue;
        std::string& names = groups[*group];
        names += (names.empty() ? "" : ", ") + std::string(short_name(*selected.managers[at]));
        group.reset();  // further managers of the cell are in its row
    }
    std::string words;
    for (const auto& [number, names] : groups) words += (words.empty() ? "" : "; ") + names;
    return words;
}

}  // namespace

std::string range_in_words(const luck& needs) {
    return size_in_words(needs.least) + " to " + size_in_words(needs.most);
}

std::string need_in_words(std::uint64_t bytes, const std::optional<luck>& needs) {
    std::string words = size_in_words(bytes);
    if (!needs) return words;
    const std::string least = without_unit(needs->least, words);
    const std::string most = without_unit(needs->most, words);
    return least == most ? words : words + " (" + least + " to " + most + ")";
}

std::string luck_words(const comparison& compared, const selection& selected) {
    std::uint64_t workloads = 0;
    bool has_ranges = false;
    for (const cell& entry : compared.cells) {
        if (!entry.needs) continue;
        workloads = std::max(workloads, entry.needs->workloads);
        has_ranges = has_ranges || entry.needs->least != entry.needs->most;
    }
    if (workloads < 2) return {};
    if (!has_ranges)
        return "Nothing of these needs is luck: " + counted(workloads - 1, "variant") + " of the workload " +
               (workloads == 2 ? "needs" : "need") + " as much.";
    std::string words = "Ranges in brackets, over the workload and " + counted(workloads - 1, "variant") +
                        " of it, are luck. Equal within luck: ";
    const std::string equal = equal_words(compared, selected);
    return words + (equal.empty() ? "none" : equal) + ".";
}

}  // namespace hbm::compare
