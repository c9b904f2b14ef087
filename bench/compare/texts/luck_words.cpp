#include "compare/texts/luck_words.hpp"

#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstddef>
#include <map>
#include <vector>

#include "compare/managers/default_managers.hpp"
#include "compare/text/text.hpp"
#include "compare/texts/advice.hpp"

namespace hbm::compare {

namespace {

/// Returns a size without its unit if that is the last character of `like`.
std::string without_unit(std::uint64_t bytes, const std::string& like) {
    std::string size = size_in_words(bytes);
    if (size.back() == like.back()) size.pop_back();
    return size;
}

/// Returns a manager of each cell in each group of needs that differ by luck alone: `a, b; c, d`.
std::string equal_managers(const comparison& compared, const selection& selected) {
    std::vector<std::optional<luck>> needs;
    for (const cell& entry : compared.cells) needs.push_back(entry.needs);
    std::vector<std::optional<std::size_t>> left = groups_within_luck(needs);
    std::map<std::size_t, std::string> groups;
    for (std::size_t at = 0; at < selected.managers.size(); ++at) {
        std::optional<std::size_t>& group = left[compared.cell_of[at]];
        if (!group) continue;
        append_item(groups[*group], short_name(*selected.managers[at]));
        group.reset();  // further managers of the cell are in its row
    }
    std::string list;
    for (const auto& [number, names] : groups) append_item(list, names, "; ");
    return list;
}

}  // namespace

std::string range_in_words(const luck& needs) {
    return filled(texts::range_of_luck, {{"least", size_in_words(needs.least)}, {"most", size_in_words(needs.most)}});
}

std::string need_with_range(std::uint64_t bytes, const std::optional<luck>& needs) {
    const std::string need = size_in_words(bytes);
    if (!needs) return need;
    const std::string least = without_unit(needs->least, need);
    const std::string most = without_unit(needs->most, need);
    return least == most ? need : filled(texts::need_with_luck, {{"need", need}, {"least", least}, {"most", most}});
}

std::string luck_note(const comparison& compared, const selection& selected) {
    std::uint64_t workloads = 0;
    bool has_ranges = false;
    for (const cell& entry : compared.cells) {
        if (!entry.needs) continue;
        workloads = std::max(workloads, entry.needs->workloads);
        has_ranges = has_ranges || entry.needs->least != entry.needs->most;
    }
    if (workloads < 2) return {};
    const std::string equal = has_ranges ? equal_managers(compared, selected) : "";
    return filled(has_ranges       ? texts::with_luck
                  : workloads == 2 ? texts::one_without_luck
                                   : texts::without_luck,
                  {{"variants", counted(workloads - 1, "variant")},
                   {"names", equal.empty() ? std::string(texts::no_equals) : equal}});
}

}  // namespace hbm::compare
