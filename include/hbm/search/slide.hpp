#pragma once

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/memory_spec.hpp>
#include <hbm/core/request.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/price.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A block and its new offset, in quanta.
template <class Quanta>
struct relocation {
    block_index block = no_block;
    Quanta to = 0;

    friend constexpr bool operator==(const relocation&, const relocation&) = default;
};

template <class Quanta>
using relocations = trivial_vector<relocation<Quanta>>;

enum class segment_kind : std::uint8_t { hole, block, wall };

/// A part of memory: a hole, a block or a wall. Offsets are in quanta.
struct segment {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::uint64_t price = unlimited_price;  ///< price of moving the block to a disjoint place
    std::uint64_t least = unlimited_price;  ///< like `price`, or less if its program may be evicted
    block_index block = no_block;
    segment_kind kind = segment_kind::hole;
    bool own = false;  ///< a hole that is free only once the requesting block has left
    std::uint8_t alignment_shift = 0;

    [[nodiscard]] constexpr std::uint64_t size() const noexcept { return high - low; }
    [[nodiscard]] constexpr std::uint64_t alignment() const noexcept { return std::uint64_t{1} << alignment_shift; }
    [[nodiscard]] constexpr bool is_hole() const noexcept { return kind == segment_kind::hole; }
    /// Returns true for a movable block, even if its program could be evicted instead.
    [[nodiscard]] constexpr bool can_slide() const noexcept {
        return kind == segment_kind::block && price != unlimited_price;
    }
};

/// A range of segments, from hole to hole, that is packed to one side so that its holes merge at the other.
struct slide {
    std::size_t first = 0;
    std::size_t last = 0;
    std::uint64_t price = unlimited_price;
    bool up = false;  ///< towards the top

    [[nodiscard]] constexpr bool is_found() const noexcept { return price != unlimited_price; }
};

/// Search for the cheapest plan that keeps the order of the blocks. Such a plan moves all blocks between its outermost
/// holes. So the best is one of the ranges from hole to hole that cannot be shortened at one end. Two pointers list
/// them with lower bounds of their prices. Moves by less than a block's size take several copies and cost more. So
/// ranges whose bound is low enough are packed on trial, to both sides. (Packing outwards to both sides is never
/// better: the blocks of one side would all go farther the other way, and moves may only become cheaper with distance.)
template <class Segment>
class slide_finder {
public:
    /// Searches for a run of `size` at a multiple of `alignment`, in quanta. Refers to `segments` and `device`.
    [[gnu::cold]] constexpr slide_finder(const trivial_vector<Segment>& segments, const memory_spec& device,
                                         std::uint64_t size, std::uint64_t alignment)
        : segments_(segments), device_(device), size_(size), alignment_(alignment) {}

    /// Returns the cheapest slide below the price `limit`. A range that an aligned block could stay in, because of a
    /// hole of its `own`, is charged for that block's move as well.
    /// Cost: O(segments) for disjoint, unaligned moves; otherwise at most `looks` times that, for the best so far.
    [[nodiscard, gnu::cold]] constexpr slide cheapest(std::uint64_t limit) {
        list_stretches();
        effort_ = segments_.size() * looks;
        best_ = {};
        best_.price = limit;
        std::size_t least = 0;
        for (std::size_t at = 1; at < stretches_.size(); ++at)
            if (stretches_[at].price < stretches_[least].price) least = at;
        if (stretches_.empty() || stretches_[least].price >= limit) return {};
        consider(stretches_[least]);
        for (const slide& stretch : stretches_)
            if (stretch.price < best_.price) consider(stretch);
        return best_.price == limit ? slide{} : best_;
    }

    /// Returns about how many segments were visited.
    [[nodiscard]] constexpr std::size_t looked_at() const noexcept { return segments_.size() * (looks + 1) - effort_; }

    /// Calls `moved(segment, to)` for each block of a slide that moves, in executable order, while it returns true.
    /// Returns the free range that this opens, as a hole.
    template <class Moved>
    [[gnu::cold]] constexpr Segment pack(const slide& sliding, Moved moved) const {
        Segment opened{.low = segments_[sliding.first].low, .high = segments_[sliding.last].high};
        if (sliding.up) {
            for (std::size_t at = sliding.last; at > sliding.first; --at) {
                const Segment& part = segments_[at];
                if (part.is_hole()) continue;
                const std::uint64_t to = align_down(opened.high - part.size(), part.alignment());
                if (to != part.low && !moved(part, to)) break;
                opened.high = to;
            }
        } else {
            for (std::size_t at = sliding.first; at < sliding.last; ++at) {
                const Segment& part = segments_[at];
                if (part.is_hole()) continue;
                const std::uint64_t to = align_up(opened.low, part.alignment());
                if (to != part.low && !moved(part, to)) break;
                opened.low = to + part.size();
            }
        }
        return opened;
    }

private:
    static constexpr std::size_t looks = 32;

    /// Returns a lower bound of the price of sliding a block by at most `farthest`, the size plus the largest hole.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t min_price(const Segment& part,
                                                               std::uint64_t farthest) const noexcept {
        return price_of_move(device_, part.price, part.size(), farthest);
    }

    /// A hole, with sums from the bottom of memory to its end.
    struct hole {
        std::size_t at = 0;       // index in `segments_`
        std::size_t walls = 0;    // number of walls, equal at both ends of a slide
        std::uint64_t free = 0;   // free quanta
        std::uint64_t price = 0;  // lower bound of sliding the blocks
    };

    [[gnu::cold]] constexpr void list_stretches() {
        list_holes();
        stretches_.clear();
        stretches_.reserve(2 * holes_.size());
        const auto size = [&](const hole& item) { return segments_[item.at].size(); };
        std::size_t first = 0;
        bool is_listed = false;  // a slide that begins there
        for (const hole& last : holes_) {
            if (holes_[first].walls != last.walls) {
                first = static_cast<std::size_t>(&last - holes_.data());
                is_listed = false;
            }
            if (last.free - holes_[first].free + size(holes_[first]) < size_) continue;
            for (;; ++first, is_listed = false) {
                const hole& begin = holes_[first];
                if (!is_listed && !segments_[begin.at].own)
                    stretches_.push_back({begin.at, last.at, last.price - begin.price, false});
                is_listed = true;
                if (last.free - begin.free < size_) break;
            }
            if (!segments_[last.at].own)
                stretches_.push_back({holes_[first].at, last.at, last.price - holes_[first].price, true});
        }
    }

    [[gnu::cold]] constexpr void list_holes() {
        std::uint64_t largest = 0;
        std::size_t count = 0;
        for (const Segment& part : segments_) {
            const std::uint64_t size = part.is_hole() ? part.size() : 0;
            largest = size > largest ? size : largest;
            count += part.is_hole();
        }
        holes_.clear();
        holes_.reserve(count);
        const std::uint64_t farthest = saturating_add(size_, largest);
        hole next;
        for (const Segment& part : segments_) {
            if (part.is_hole()) {
                next.free += part.size();
                holes_.push_back(next);
            } else if (part.can_slide()) {
                next.price += min_price(part, farthest);
            } else {
                ++next.walls;
            }
            ++next.at;
        }
    }

    /// Packs a slide, lengthening it if alignment requires that, and takes it if it is the best so far.
    [[gnu::cold]] constexpr void consider(slide stretch) {
        while (stretch.price < best_.price && effort_ > 0) {
            std::uint64_t price = 0;
            std::size_t moves = 0;
            const Segment opened = pack(stretch, [&](const Segment& part, std::uint64_t to) {
                price = saturating_add(price, price_of_move(device_, part.price, part.size(),
                                                            to < part.low ? part.low - to : to - part.low));
                ++moves;
                return price < best_.price;
            });
            if (price < best_.price && moves < (stretch.last - stretch.first) / 2)
                moves = (stretch.last - stretch.first) / 2;
            effort_ -= moves < effort_ ? moves : effort_;
            if (price >= best_.price) return;
            const std::uint64_t begin = align_up(opened.low, alignment_);
            if (begin >= opened.low && begin <= opened.high && opened.high - begin >= size_) {
                best_ = stretch;
                best_.price = price;
                return;
            }
            do {  // continue to the next hole
                if (stretch.up ? stretch.first == 0 : stretch.last + 1 == segments_.size()) return;
                const Segment& next = segments_[stretch.up ? --stretch.first : ++stretch.last];
                if (next.is_hole()) break;
                if (!next.can_slide()) return;
            } while (true);
        }
    }

    const trivial_vector<Segment>& segments_;
    const memory_spec& device_;
    std::uint64_t size_;
    std::uint64_t alignment_;
    std::size_t effort_ = 0;
    trivial_vector<hole> holes_;
    trivial_vector<slide> stretches_;
    slide best_;
};

}  // namespace hbm::inline v0
