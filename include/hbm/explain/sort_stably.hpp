#pragma once

#include <hbm/core/language.hpp>

#include <algorithm>
#include <vector>

namespace hbm {

/// Sorts a short list; equivalent items keep their order. O(n^2) moves. (std::stable_sort causes deprecation warnings
/// with some combinations of compiler and library.)
template <class Item, class Less>
void sort_stably(std::vector<Item>& items, Less less) {
    for (auto next = items.begin(); next != items.end(); ++next)
        std::rotate(std::upper_bound(items.begin(), next, *next, less), next, next + 1);
}

}  // namespace hbm
