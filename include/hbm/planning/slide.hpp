#pragma once

#include <hbm/planning/segments.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// A range of segments, from hole to hole, that is packed to one side so that its holes merge at the other.
struct slide {
    std::size_t first = 0;
    std::size_t last = 0;
    std::uint64_t price = unlimited_price;
    bool up = false;  ///< towards the top

    constexpr bool is_found() const noexcept { return price != unlimited_price; }
};

/// Search for the cheapest plan that keeps the order of the blocks. Such a plan moves all blocks between its outermost
/// holes. So the best is one of the ranges from hole to hole that cannot be shortened at one end. Two pointers list
/// them with lower bounds of their prices. Moves by less than a block's size take several copies and cost more. So
/// ranges whose bound is low enough are packed on trial, to both sides. (Packing outwards to both sides is never
/// better: the blocks of one side would all go farther the other way, and moves may only become cheaper with distance.)
class slide_finder {
public:
    /// Searches for a run of `size` at a multiple of `alignment`, in quanta. Refers to `parts` and `device`.
    [[gnu::cold]] constexpr slide_finder(const segments& parts, const memory_spec& device, std::uint64_t size,
                                         std::uint64_t alignment)
        : segments_(parts), device_(device), size_(size), alignment_(alignment) {}

    /// Returns the cheapest slide below the price `limit`. A range that an aligned block could stay in, because of a
    /// hole of its `own`, is charged for that block's move as well.
    /// Cost: O(segments) for disjoint, unaligned moves; otherwise at most `looks` times that, for the best so far.
    [[gnu::cold]] constexpr slide cheapest(std::uint64_t limit) {
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
    constexpr std::size_t looked_at() const noexcept { return segments_.size() * (looks + 1) - effort_; }

    /// Calls `moved(segment, to)` for each block of a slide that moves, in executable order, while it returns true.
    /// Returns the free range that this opens, as a hole.
    template <class Moved>
    [[gnu::cold]] constexpr segment pack(const slide& sliding, Moved moved) const {
        segment opened{.low = segments_[sliding.first].low, .high = segments_[sliding.last].high};
        if (sliding.up) {
            for (std::size_t at = sliding.last; at > sliding.first; --at) {
                const segment& part = segments_[at];
                if (part.is_hole()) continue;
                const std::uint64_t to = align_down(opened.high - part.size(), part.alignment());
                if (to != part.low && !moved(part, to)) break;
                opened.high = to;
            }
        } else {
            for (std::size_t at = sliding.first; at < sliding.last; ++at) {
                const segment& part = segments_[at];
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

    /// A hole, with sums from the bottom of memory to its end.
    struct hole {
        std::size_t at = 0;       // index in `segments_`
        std::size_t walls = 0;    // number of walls, equal at both ends of a slide
        std::uint64_t free = 0;   // free quanta
        std::uint64_t price = 0;  // lower bound of sliding the blocks
    };

    /// Lists the ranges that cannot be shortened at one end: for each hole the shortest range that begins there, packed
    /// downwards, and the shortest that ends there, packed upwards. The first hole only moves up with the last.
    [[gnu::cold]] constexpr void list_stretches() {
        list_holes();
        const auto size = [&](const hole& item) { return segments_[item.at].size(); };
        std::size_t first = 0;
        bool is_listed = false;  // a slide that begins there
        for (std::size_t at = 0; at < holes_.size(); ++at) {
            const hole& last = holes_[at];
            if (holes_[first].walls != last.walls) {
                first = at;
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
        for (const segment& part : segments_)
            if (part.is_hole() && part.size() > largest) largest = part.size();
        // No block of a slide goes farther than that, and prices may fall with the distance.
        const std::uint64_t farthest = saturating_add(size_, largest);
        hole next;
        for (const segment& part : segments_) {
            if (part.is_hole()) {
                next.free += part.size();
                holes_.push_back(next);
            } else if (part.can_slide()) {
                next.price += price_of_move(device_, part.price, part.size(), farthest);
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
            const segment opened = pack(stretch, [&](const segment& part, std::uint64_t to) {
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
                const segment& next = segments_[stretch.up ? --stretch.first : ++stretch.last];
                if (next.is_hole()) break;
                if (!next.can_slide()) return;
            } while (true);
        }
    }

    const segments& segments_;
    const memory_spec& device_;
    std::uint64_t size_;
    std::uint64_t alignment_;
    std::size_t effort_ = 0;
    trivial_vector<hole> holes_;
    trivial_vector<slide> stretches_;
    slide best_;
};

}  // namespace hbm::inline v0
