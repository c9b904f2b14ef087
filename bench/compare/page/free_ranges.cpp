#include "compare/page/free_ranges.hpp"

#include <iterator>

namespace hbm::compare {

std::optional<std::uint64_t> free_ranges::place(guess which, std::uint64_t size) const {
    const auto best = by_size_.lower_bound({size, 0});
    if (which == guess::lately_left) {
        const auto found = left_.find(size);
        return found == left_.end() ? std::nullopt : std::optional(found->second);
    }
    if (best == by_size_.end()) return std::nullopt;
    if (which == guess::low_end_of_best) return best->second;
    if (which == guess::high_end_of_best) {
        const auto last = std::prev(by_size_.upper_bound({best->first, ~std::uint64_t{0}}));
        return last->second + last->first - size;
    }
    if (which == guess::lowest) {
        for (const auto& [offset, length] : by_offset_)
            if (length >= size) return offset;
    } else {
        for (auto hole = by_offset_.rbegin(); hole != by_offset_.rend(); ++hole)
            if (hole->second >= size) return hole->first + hole->second - size;
    }
    return std::nullopt;
}

void free_ranges::take(std::uint64_t offset, std::uint64_t size) {
    const auto hole = std::prev(by_offset_.upper_bound(offset));
    const auto [begin, length] = *hole;
    remove(hole);
    if (offset != begin) add(begin, offset - begin);
    if (begin + length != offset + size) add(offset + size, begin + length - offset - size);
}

void free_ranges::leave(std::uint64_t offset, std::uint64_t size) {
    left_[size] = offset;
    auto above = by_offset_.lower_bound(offset);
    if (above != by_offset_.end() && above->first == offset + size) {
        size += above->second;
        const auto merged = above++;
        remove(merged);
    }
    if (above != by_offset_.begin()) {
        const auto below = std::prev(above);
        if (below->first + below->second == offset) {
            offset = below->first;
            size += below->second;
            remove(below);
        }
    }
    add(offset, size);
}

void free_ranges::add(std::uint64_t offset, std::uint64_t size) {
    if (size == 0) return;
    by_offset_.emplace(offset, size);
    by_size_.emplace(size, offset);
}

void free_ranges::remove(std::map<std::uint64_t, std::uint64_t>::iterator hole) {
    by_size_.erase({hole->second, hole->first});
    by_offset_.erase(hole);
}

}  // namespace hbm::compare
