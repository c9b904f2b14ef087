#include "compare/cells/luck.hpp"

#include <algorithm>

namespace hbm::compare {

luck luck_of(std::vector<std::uint64_t> needs) {
    std::sort(needs.begin(), needs.end());
    return {needs.front(), needs[(needs.size() - 1) / 2], needs.back(), needs.size()};
}

bool are_equal_within_luck(const luck& a, const luck& b) noexcept {
    const std::uint64_t lower = std::max(a.least, b.least);
    const std::uint64_t upper = std::min(a.most, b.most);
    if (lower > upper) return false;
    const std::uint64_t shorter = std::min(a.most - a.least, b.most - b.least);
    return shorter == 0 || (upper - lower) * 2 > shorter;
}

std::vector<std::optional<std::size_t>> groups_within_luck(const std::vector<std::optional<luck>>& needs) {
    std::vector<std::size_t> order;
    for (std::size_t at = 0; at < needs.size(); ++at)
        if (needs[at]) order.push_back(at);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t first, std::size_t second) {
        return needs[first]->median < needs[second]->median;
    });
    std::vector<std::vector<std::size_t>> groups;
    for (const std::size_t at : order) {
        const auto group = std::find_if(groups.begin(), groups.end(), [&](const std::vector<std::size_t>& members) {
            return are_equal_within_luck(*needs[members.front()], *needs[at]);
        });
        if (group == groups.end())
            groups.push_back({at});
        else
            group->push_back(at);
    }
    std::vector<std::optional<std::size_t>> result(needs.size());
    std::size_t number = 0;
    for (const std::vector<std::size_t>& members : groups) {
        const auto is_first = [&](std::size_t at) { return *needs[at] == *needs[members.front()]; };
        if (std::all_of(members.begin(), members.end(), is_first)) continue;
        for (const std::size_t at : members) result[at] = number;
        ++number;
    }
    return result;
}

}  // namespace hbm::compare
