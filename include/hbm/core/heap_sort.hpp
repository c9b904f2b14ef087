#pragma once

#include <hbm/core/trivial_vector.hpp>

#include <cstddef>

namespace hbm::inline v0 {

/// Heap sort without the headers of the standard library. The result is unique.
/// Requires: `less` is a strict total order of the items.
/// Cost: O(n log n).
template <class Item, class Less>
[[gnu::cold]] constexpr void heap_sort(trivial_vector<Item>& items, Less less) {
    const auto swap_items = [&](std::size_t first, std::size_t second) {
        const Item item = items[first];
        items[first] = items[second];
        items[second] = item;
    };
    // Both halves of the algorithm are one loop: first the items from the middle down are sifted into the heap, then
    // the largest goes behind the heap and the one that takes its place is sifted. Items are few, so the speed of
    // <algorithm> is not missed.
    std::size_t unheaped = items.size() / 2;
    std::size_t size = items.size();
    while (size > 1) {
        if (unheaped > 0)
            --unheaped;
        else
            swap_items(0, --size);
        std::size_t parent = unheaped;
        for (std::size_t child; (child = 2 * parent + 1) < size; parent = child) {
            if (child + 1 < size && less(items[child], items[child + 1])) ++child;
            if (!less(items[parent], items[child])) break;
            swap_items(parent, child);
        }
    }
}

}  // namespace hbm::inline v0
