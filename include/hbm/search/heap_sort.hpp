#pragma once

/// Sorting without the standard library's many headers.

#include <hbm/core/trivial_vector.hpp>

#include <cstddef>

namespace hbm {

/// Sorts by `less`, a strict order under which no two items are equal: then the result is the only one. O(n log n).
template <class Item, class Less>
[[gnu::cold]] constexpr void heap_sort(trivial_vector<Item>& items, Less less) {
    const auto sink = [&](std::size_t at, std::size_t size) {
        for (std::size_t child; (child = 2 * at + 1) < size; at = child) {
            if (child + 1 < size && less(items[child], items[child + 1])) ++child;
            if (!less(items[at], items[child])) return;
            const Item above = items[at];
            items[at] = items[child];
            items[child] = above;
        }
    };
    for (std::size_t at = items.size() / 2; at-- > 0;) sink(at, items.size());
    for (std::size_t size = items.size(); size-- > 1;) {
        const Item largest = items[0];
        items[0] = items[size];
        items[size] = largest;
        sink(0, size);
    }
}

}  // namespace hbm
