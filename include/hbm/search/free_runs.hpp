#pragma once

#include <hbm/core/bisect.hpp>
#include <hbm/core/extent.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/heap_sort.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Segment tree over the ranges between given offsets, each free or occupied: counts free runs and finds the longest.
/// Cost: O(log(offsets)) per change, O(1) per query.
template <class Quanta>
class free_runs {
public:
    /// Constructs a tree in which everything is occupied. Later ranges begin and end at `offsets`, which may repeat.
    /// Cost: O(offsets log(offsets)).
    [[gnu::cold]] constexpr explicit free_runs(trivial_vector<Quanta> offsets) {
        trivial_vector<std::size_t> order;
        for (std::size_t at = 0; at < offsets.size(); ++at) order.push_back(at);
        heap_sort(order, [&](std::size_t left, std::size_t right) {
            return offsets[left] != offsets[right] ? offsets[left] < offsets[right] : left < right;
        });
        for (const std::size_t at : order)
            if (offsets_.empty() || offsets_.back() != offsets[at]) offsets_.push_back(offsets[at]);
        while (leaves_ + 1 < offsets_.size()) leaves_ *= 2;
        nodes_.resize(2 * leaves_);
        for (std::size_t at = 0; at + 1 < offsets_.size(); ++at)
            nodes_[leaves_ + at].length = offsets_[at + 1] - offsets_[at];
        for (std::size_t at = leaves_; at-- > 1;) nodes_[at].length = nodes_[2 * at].length + nodes_[2 * at + 1].length;
    }

    constexpr void free(basic_extent<Quanta> range) { set(range, filling::free); }
    constexpr void occupy(basic_extent<Quanta> range) { set(range, filling::occupied); }

    [[nodiscard]] constexpr Quanta longest() const noexcept { return nodes_[1].longest; }
    [[nodiscard]] constexpr std::size_t count() const noexcept { return nodes_[1].runs; }

private:
    /// The state of a whole node, or `mixed`.
    enum class filling : std::uint8_t { occupied, free, mixed };
    struct node {
        Quanta length = 0;
        Quanta first = 0;  // free length at the low end, at the high end, and of the longest run
        Quanta last = 0;
        Quanta longest = 0;
        std::uint32_t runs = 0;
        filling all = filling::occupied;
    };

    [[nodiscard]] constexpr std::size_t index_of(Quanta offset) const noexcept {
        return *least_enough(offsets_.size() - 1, [&](std::size_t at) { return offsets_[at] >= offset; });
    }
    constexpr void set(basic_extent<Quanta> range, filling all) {
        if (range.size != 0) set(1, 0, leaves_, index_of(range.offset), index_of(range.end()), all);
    }
    constexpr void fill(std::size_t at, filling all) noexcept {
        node& filled = nodes_[at];
        filled.all = all;
        filled.first = filled.last = filled.longest = all == filling::free ? filled.length : 0;
        filled.runs = filled.longest != 0;
    }
    /// Sets the leaves `[low, high)` of the node at `at`, whose leaves are `[begin, end)`.
    constexpr void set(std::size_t at, std::size_t begin, std::size_t end, std::size_t low, std::size_t high,
                       filling all) {
        if (high <= begin || end <= low) return;
        if (low <= begin && end <= high) return fill(at, all);
        node& parent = nodes_[at];
        if (parent.all != filling::mixed) {
            fill(2 * at, parent.all);
            fill(2 * at + 1, parent.all);
        }
        const std::size_t middle = begin + (end - begin) / 2;
        set(2 * at, begin, middle, low, high, all);
        set(2 * at + 1, middle, end, low, high, all);
        const node& lower = nodes_[2 * at];
        const node& upper = nodes_[2 * at + 1];
        const Quanta across = lower.last + upper.first;
        parent.all = filling::mixed;
        parent.first = lower.first == lower.length ? lower.length + upper.first : lower.first;
        parent.last = upper.last == upper.length ? upper.length + lower.last : upper.last;
        parent.longest = lower.longest > upper.longest ? lower.longest : upper.longest;
        if (across > parent.longest) parent.longest = across;
        parent.runs = lower.runs + upper.runs - (lower.last != 0 && upper.first != 0);
    }

    trivial_vector<Quanta> offsets_;
    std::size_t leaves_ = 1;
    trivial_vector<node> nodes_;
};

}  // namespace hbm::inline v0
