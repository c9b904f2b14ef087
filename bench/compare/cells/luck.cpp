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

}  // namespace hbm::compare
