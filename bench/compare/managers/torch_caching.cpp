#include "compare/managers/torch_caching.hpp"

#include <hbm/donation/donation.hpp>
#include <hbm/eviction/eviction.hpp>
#include <hbm/planning/relief.hpp>

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "compare/managers/entry.hpp"
#include "compare/replay/replayed_manager.hpp"

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

torch_caching::torch_caching(quanta capacity) : map_(capacity) {
    if (capacity == 0) return;
    map_.set_range(map_.far_hole, {capacity, 0});
    gaps_.emplace(0, map_.new_hole(map_.bottom, {0, capacity}));
}

block_index torch_caching::place(const need<quanta>& n) {
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
    if (rest > (source == pool::small ? 0 : max_small)) {
        const quanta begin = map_.offset(block);
        map_.set_range(block, {begin, n.length});
        free_.insert(listed(map_.new_hole(block, {begin + n.length, rest}), source));
    }
    map_.begin_life(block, map_.size(block), n.length, n.alignment);
    return block;
}

void torch_caching::release(block_index block) {
    map_.end_life(block);
    const segment_place within = segment_of(map_.offset(block));
    if (within->second.source == pool::imported) return return_range(block, within);
    const block_index hole = merged(block, within);
    free_.insert(listed(hole, within->second.source));
}

block_index torch_caching::occupy(basic_extent<quanta> range) {
    auto gap = gaps_.upper_bound(range.offset);
    if (gap == gaps_.begin() || map_.end((--gap)->second) < range.end()) return no_block;
    const block_index block = carve(gap->second, range);
    segments_[range.offset] = {range.end(), pool::imported};
    map_.begin_life(block, range.size, range.size, 1);
    return block;
}

torch_caching::quanta torch_caching::largest_free() const noexcept {
    quanta largest = free_.empty() ? 0 : free_.rbegin()->size;
    for (const auto& [offset, gap] : gaps_) largest = std::max(largest, map_.size(gap));
    return largest;
}

torch_caching::segment_place torch_caching::segment_of(quanta offset) {
    return std::prev(segments_.upper_bound(offset));
}

torch_caching::free_block torch_caching::listed(block_index hole, pool source) const {
    return {source, map_.size(hole), map_.offset(hole), hole};
}

block_index torch_caching::take_free(const need<quanta>& n, pool source) {
    const auto is_suitable = [&](const free_block& entry) { return (entry.offset & (n.alignment - 1)) == 0; };
    auto best = free_.lower_bound({source, n.length, 0, 0});
    while (best != free_.end() && best->source == source && !is_suitable(*best)) ++best;
    if (best == free_.end() || best->source != source) return no_block;
    const block_index block = best->block;
    free_.erase(best);
    return block;
}

block_index torch_caching::grow(const need<quanta>& n, pool source) {
    const block_index block = add_segment(segment_size(n.length), source);
    if (block == no_block || (map_.offset(block) & (n.alignment - 1)) == 0) return block;
    free_.insert(listed(block, source));
    return no_block;
}

block_index torch_caching::add_segment(quanta size, pool source) {
    const auto has_room = [&](const auto& gap) {
        const quanta begin = rounded_up(gap.first, rounding);
        const quanta end = map_.end(gap.second);
        return begin <= end && end - begin >= size;
    };
    const auto gap = std::find_if(gaps_.begin(), gaps_.end(), has_room);
    if (gap == gaps_.end()) return no_block;
    const quanta begin = rounded_up(gap->first, rounding);
    segments_[begin] = {begin + size, source};
    return carve(gap->second, {begin, size});
}

void torch_caching::return_free() {
    const std::vector<free_block> all(free_.begin(), free_.end());
    for (const free_block& entry : all) {
        const segment_place within = segment_of(entry.offset);
        if (within->first != entry.offset || within->second.end != entry.offset + entry.size) continue;
        free_.erase(entry);
        return_range(entry.block, within);
    }
}

void torch_caching::return_range(block_index hole, segment_place from) {
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

block_index torch_caching::carve(block_index gap, basic_extent<quanta> range) {
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

block_index torch_caching::merged(block_index hole, segment_place within) {
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

namespace {

using torch_manager = manager<torch_caching, never_evict, never_donate, never_relieve>;

/// Replay whose highest end is the reserved memory: segments may lie apart.
class replayed_torch final : public trace::replayed<torch_manager> {
public:
    using trace::replayed<torch_manager>::replayed;

    [[nodiscard]] trace::memory_readings read() const override {
        trace::memory_readings result = trace::replayed<torch_manager>::read();
        result.highest_end = this->manager().state().blocks.reserved() * default_quantum;
        return result;
    }
};

}  // namespace

manager_entry torch_caching_entry() {
    manager_entry result = entry_without_explanation<torch_manager>();
    result.name = result.full_name = result.placement;
    result.has_footprint = true;
    result.is_model = true;
    result.make = [](const memory_spec& spec, const policy_choices&) -> std::unique_ptr<trace::replayed_memory> {
        memory_spec rounded = spec;
        rounded.quantum = default_quantum;
        return std::make_unique<replayed_torch>(rounded);
    };
    return result;
}

}  // namespace hbm::compare
