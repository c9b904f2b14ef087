#include "compare/managers/models/torch_caching.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace hbm::compare {

namespace {

constexpr std::uint64_t mebibyte = (std::uint64_t{1} << 20U) / 512;  // in quanta, as all sizes below
constexpr std::uint64_t max_small = mebibyte;
constexpr std::uint64_t small_segment = 2 * mebibyte;
constexpr std::uint64_t large_segment = 20 * mebibyte;
constexpr std::uint64_t min_own_segment = 10 * mebibyte;
constexpr std::uint64_t rounding = 2 * mebibyte;

std::uint64_t rounded_up(std::uint64_t size, std::uint64_t unit) {
    return (size + unit - 1) / unit * unit;
}

std::uint64_t segment_size(std::uint64_t length) {
    if (length <= max_small) return small_segment;
    return length < min_own_segment ? large_segment : rounded_up(length, rounding);
}

}  // namespace

template <torch_growth Growth>
torch_blocks<Growth>::torch_blocks(quanta capacity) : map_(capacity) {
    if (capacity == 0) return;
    map_.set_range(map_.far_hole, {capacity, 0});
    gaps_.emplace(0, map_.new_hole(map_.bottom, {0, capacity}));
}

template <torch_growth Growth>
block_index torch_blocks<Growth>::place(const need<quanta>& n) {
    if (n.length > map_.capacity()) return no_block;
    const pool source = n.length <= max_small ? pool::small : pool::large;
    block_index block = take_free(n, source);
    if (block == no_block) block = grow(n, source);
    if (block == no_block) {
        return_free();
        block = grow(n, source);
    }
    if (block == no_block) return no_block;
    const quanta rest = map_.size(block) - n.length;
    if (rest > (source == pool::small || is_expandable ? 0 : max_small)) {
        const quanta begin = map_.offset(block);
        map_.set_range(block, {begin, n.length});
        free_.insert(listed(map_.new_hole(block, {begin + n.length, rest}), source));
    }
    map_.begin_life(block, map_.size(block), n.length, n.alignment);
    return block;
}

template <torch_growth Growth>
void torch_blocks<Growth>::release(block_index block) {
    map_.end_life(block);
    const segment_place within = segment_of(map_.offset(block));
    if (within->second.source == pool::imported) return return_range(block, within);
    const block_index hole = merged(block, within);
    free_.insert(listed(hole, within->second.source));
}

template <torch_growth Growth>
block_index torch_blocks<Growth>::occupy(basic_extent<quanta> range) {
    auto gap = gaps_.upper_bound(range.offset);
    if (gap == gaps_.begin() || map_.end((--gap)->second) < range.end()) return no_block;
    const block_index block = carve(gap->second, range);
    segments_[range.offset] = {range.end(), pool::imported};
    map_.begin_life(block, range.size, range.size, 1);
    return block;
}

template <torch_growth Growth>
typename torch_blocks<Growth>::quanta torch_blocks<Growth>::largest_free() const noexcept {
    quanta largest = free_.empty() ? 0 : free_.rbegin()->size;
    for (const auto& [offset, gap] : gaps_) largest = std::max(largest, map_.size(gap));
    return largest;
}

template <torch_growth Growth>
typename torch_blocks<Growth>::segment_place torch_blocks<Growth>::segment_of(quanta offset) {
    return std::prev(segments_.upper_bound(offset));
}

template <torch_growth Growth>
typename torch_blocks<Growth>::free_block torch_blocks<Growth>::listed(block_index hole, pool source) const {
    return {source, map_.size(hole), map_.offset(hole), hole};
}

template <torch_growth Growth>
typename torch_blocks<Growth>::quanta torch_blocks<Growth>::expandable_size(const free_block& entry) const {
    const auto gap = gaps_.find(entry.offset + entry.size);
    return entry.size + (gap == gaps_.end() ? 0 : map_.size(gap->second));
}

template <torch_growth Growth>
block_index torch_blocks<Growth>::take_free(const need<quanta>& n, pool source) {
    const auto is_suitable = [&](const free_block& entry) { return (entry.offset & (n.alignment - 1)) == 0; };
    auto best = free_.lower_bound({source, n.length, 0, 0});
    while (best != free_.end() && best->source == source && !is_suitable(*best)) ++best;
    if (best == free_.end() || best->source != source) return no_block;
    // A block that can grow counts as long as it can become.
    if (is_expandable && source == pool::large)
        for (auto next = std::next(best);
             next != free_.end() && next->source == source && expandable_size(*next) < expandable_size(*best); ++next)
            if (is_suitable(*next)) best = next;
    const block_index block = best->block;
    free_.erase(best);
    return block;
}

template <torch_growth Growth>
block_index torch_blocks<Growth>::grow(const need<quanta>& n, pool source) {
    const block_index block =
        is_expandable && source == pool::large ? add_pages(n) : add_segment(segment_size(n.length), source);
    if (block == no_block || (map_.offset(block) & (n.alignment - 1)) == 0) return block;
    free_.insert(listed(block, source));
    return no_block;
}

template <torch_growth Growth>
block_index torch_blocks<Growth>::add_segment(quanta size, pool source) {
    const auto place_in = [&](const auto& gap) {
        const quanta end = map_.end(gap.second);
        return is_expandable ? (end - std::min(size, end)) / rounding * rounding : rounded_up(gap.first, rounding);
    };
    const auto has_room = [&](const auto& gap) {
        const quanta begin = place_in(gap);
        const quanta end = map_.end(gap.second);
        return begin >= gap.first && begin <= end && end - begin >= size;
    };
    const auto gap = [&] {
        if constexpr (!is_expandable) return std::find_if(gaps_.begin(), gaps_.end(), has_room);
        const auto last = std::find_if(gaps_.rbegin(), gaps_.rend(), has_room);
        return last == gaps_.rend() ? gaps_.end() : std::prev(last.base());
    }();
    if (gap == gaps_.end()) return no_block;
    const quanta begin = place_in(*gap);
    segments_[begin] = {begin + size, source};
    return carve(gap->second, {begin, size});
}

template <torch_growth Growth>
block_index torch_blocks<Growth>::add_pages(const need<quanta>& n) {
    for (const auto& [offset, gap] : gaps_) {
        const quanta begin = rounded_up(offset, large_segment);
        const block_index lower = map_.node(gap).previous;
        const bool follows = begin == offset && lower != map_.bottom && map_.is_hole(lower) &&
                             segment_of(map_.offset(lower))->second.source == pool::large;
        const quanta before = follows ? map_.size(lower) : 0;
        const quanta size = rounded_up(n.length - std::min(n.length, before), large_segment);
        if (begin > map_.end(gap) || map_.end(gap) - begin < size) continue;
        const block_index hole = carve(gap, {begin, size});
        segment_place within = segments_.insert_or_assign(begin, segment{begin + size, pool::large}).first;
        if (begin != 0 && within != segments_.begin())
            if (const auto lower_segment = std::prev(within);
                lower_segment->second.source == pool::large && lower_segment->second.end == begin) {
                lower_segment->second.end = begin + size;
                segments_.erase(within);
                within = lower_segment;
            }
        if (const auto upper = std::next(within);
            upper != segments_.end() && upper->second.source == pool::large && upper->first == within->second.end) {
            within->second.end = upper->second.end;
            segments_.erase(upper);
        }
        return merged(hole, within);
    }
    return no_block;
}

template <torch_growth Growth>
void torch_blocks<Growth>::return_free() {
    const std::vector<free_block> all(free_.begin(), free_.end());
    for (const free_block& entry : all) {
        const segment_place within = segment_of(entry.offset);
        const quanta end = entry.offset + entry.size;
        if (is_expandable && entry.source == pool::large) {
            const quanta from = rounded_up(entry.offset, large_segment);
            const quanta to = end / large_segment * large_segment;
            if (from >= to) continue;
            free_.erase(entry);
            block_index hole = entry.block;
            if (to != end) {
                map_.set_range(hole, {entry.offset, to - entry.offset});
                free_.insert(listed(map_.new_hole(hole, {to, end - to}), entry.source));
            }
            if (from != entry.offset) {
                map_.set_range(hole, {entry.offset, from - entry.offset});
                free_.insert(listed(hole, entry.source));
                hole = map_.new_hole(hole, {from, to - from});
            }
            const segment whole = within->second;
            if (from != within->first)
                within->second.end = from;
            else
                segments_.erase(within);
            if (to != whole.end) segments_[to] = whole;
            return_range(hole, segments_.insert_or_assign(from, segment{to, pool::large}).first);
        } else if (within->first == entry.offset && within->second.end == end) {
            free_.erase(entry);
            return_range(entry.block, within);
        }
    }
}

template <torch_growth Growth>
void torch_blocks<Growth>::return_range(block_index hole, segment_place from) {
    reserved_ -= map_.size(hole);
    segments_.erase(from);
    if (const auto upper = gaps_.find(map_.end(hole)); upper != gaps_.end()) {
        gaps_.erase(upper);
        map_.absorb_next(hole);
    }
    if (const block_index lower = map_.node(hole).previous;
        gaps_.contains(map_.offset(lower)) && lower != map_.bottom) {
        map_.absorb_next(lower);
        return;
    }
    gaps_[map_.offset(hole)] = hole;
}

template <torch_growth Growth>
block_index torch_blocks<Growth>::carve(block_index gap, basic_extent<quanta> range) {
    const basic_extent<quanta> whole = map_.range(gap);
    block_index hole = gap;
    if (range.offset != whole.offset) {
        map_.set_range(gap, {whole.offset, range.offset - whole.offset});
        hole = map_.new_hole(gap, range);
    } else {
        map_.set_range(gap, range);
        gaps_.erase(whole.offset);
    }
    if (range.end() != whole.end()) gaps_[range.end()] = map_.new_hole(hole, {range.end(), whole.end() - range.end()});
    reserved_ += range.size;
    return hole;
}

template <torch_growth Growth>
block_index torch_blocks<Growth>::merged(block_index hole, segment_place within) {
    if (const block_index upper = map_.node(hole).next; map_.end(hole) != within->second.end && map_.is_hole(upper)) {
        free_.erase(listed(upper, within->second.source));
        map_.absorb_next(hole);
    }
    if (const block_index lower = map_.node(hole).previous; map_.offset(hole) != within->first && map_.is_hole(lower)) {
        free_.erase(listed(lower, within->second.source));
        map_.absorb_next(lower);
        hole = lower;
    }
    return hole;
}

template class torch_blocks<torch_growth::segments>;
template class torch_blocks<torch_growth::expandable>;

}  // namespace hbm::compare
