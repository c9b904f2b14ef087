#include "compare/page/packed/free_ranges.hpp"

#include <algorithm>
#include <iterator>

namespace hbm::compare {

free_ranges::free_ranges(std::uint64_t capacity) {
    if (capacity != 0) holes_.push_back({0, capacity});
}

std::optional<std::uint64_t> free_ranges::place(guess rule, std::uint64_t size) const {
    const bool is_best = rule == guess::low_end_of_best || rule == guess::high_end_of_best;
    const bool is_high = rule == guess::high_end_of_best || rule == guess::highest;
    const hole* chosen = nullptr;
    std::uint64_t least = ~std::uint64_t{0};
    for (const hole& candidate : holes_) {
        const std::uint64_t length = candidate.end - candidate.begin;
        if (length < size) continue;
        const std::uint64_t score = is_best ? length : 0;
        if (score > least || (score == least && !is_high)) continue;
        chosen = &candidate;
        least = score;
    }
    if (chosen == nullptr) return std::nullopt;
    return is_high ? chosen->end - size : chosen->begin;
}

void free_ranges::take(std::uint64_t offset, std::uint64_t size) {
    auto at = at_or_above(offset);
    if (at == holes_.end() || at->begin != offset) --at;
    const hole below{at->begin, offset};
    const hole above{offset + size, at->end};
    at = holes_.erase(at);
    if (above.begin != above.end) at = holes_.insert(at, above);
    if (below.begin != below.end) holes_.insert(at, below);
}

void free_ranges::leave(std::uint64_t offset, std::uint64_t size) {
    hole freed{offset, offset + size};
    auto at = at_or_above(offset);
    if (at != holes_.end() && at->begin == freed.end) {
        freed.end = at->end;
        at = holes_.erase(at);
    }
    if (at != holes_.begin() && std::prev(at)->end == offset)
        std::prev(at)->end = freed.end;
    else
        holes_.insert(at, freed);
}

std::vector<free_ranges::hole>::iterator free_ranges::at_or_above(std::uint64_t offset) {
    return std::lower_bound(holes_.begin(), holes_.end(), offset,
                            [](const hole& range, std::uint64_t bound) { return range.begin < bound; });
}

}  // namespace hbm::compare
