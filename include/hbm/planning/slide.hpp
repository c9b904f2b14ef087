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
    // Above its first use: clang 14 cannot use it in a constant otherwise.
    /// Calls `visit(stretch)` for the ranges that cannot be shortened at one end: for each hole the shortest range that
    /// begins there, packed downwards, and the shortest that ends there, packed upwards. The first hole only moves up
    /// with the last.
    template <class Visit>
    [[gnu::cold]] constexpr void for_each_stretch(Visit visit) const {
        // Two pointers: `last` goes up hole by hole, and `first` follows as long as the rest is enough without its
        // hole. A wall empties the range.
        std::size_t first = 0;    // the hole where the range begins
        std::uint64_t free = 0;   // in the holes from there on
        std::uint64_t price = 0;  // a lower bound of sliding the blocks from there on
        bool is_listed = false;   // a slide that begins there
        for (std::size_t last = 0; last < segments_.size(); ++last) {
            const segment& part = segments_[last];
            if (!part.is_hole()) {
                price += min_price_of(part);
                if (!part.can_slide()) free = 0;
                continue;
            }
            if (free == 0) {
                first = last;
                price = 0;
                is_listed = false;
            }
            free += part.size();
            if (free < size_) continue;
            for (;; is_listed = false) {
                if (!is_listed && !segments_[first].own) visit(slide{first, last, price, false});
                is_listed = true;
                if (free - segments_[first].size() < size_) break;
                free -= segments_[first].size();
                while (!segments_[++first].is_hole()) price -= min_price_of(segments_[first]);
            }
            if (!part.own) visit(slide{first, last, price, true});
        }
    }

public:
    /// Searches for a run of `size` at a multiple of `alignment`, in quanta. Refers to `parts` and `device`.
    [[gnu::cold]] constexpr slide_finder(const segments& parts, const memory_spec& device, std::uint64_t size,
                                         std::uint64_t alignment)
        : segments_(parts), device_(device), size_(size), alignment_(alignment) {}

    /// Returns the cheapest slide below the price `limit`. A range that an aligned block could stay in, because of a
    /// hole of its `own`, is charged for that block's move as well.
    /// Cost: O(segments) for disjoint, unaligned moves; otherwise at most `looks` times that, for the best so far.
    [[gnu::cold]] constexpr slide cheapest(std::uint64_t limit) {
        effort_ = segments_.size() * looks;
        std::uint64_t largest = 0;
        for (const segment& part : segments_)
            if (part.is_hole() && part.size() > largest) largest = part.size();
        farthest_ = saturating_add(size_, largest);
        // Ranges are cheap to list, twice, and dear to pack: the one of the least bound rules out nearly all others.
        slide least;
        bool packs = false;
        const auto look_at = [&](const slide& stretch) {
            if (packs && stretch.price < best_.price) consider(stretch);
            if (!packs && stretch.price < least.price) least = stretch;
        };
        for_each_stretch(look_at);
        if (least.price >= limit) return {};
        best_ = {};
        best_.price = limit;
        consider(least);
        packs = true;
        if (best_.price != least.price) for_each_stretch(look_at);
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

    /// Returns a lower bound of sliding a block: it goes no farther than that, and prices may fall with the distance.
    constexpr std::uint64_t min_price_of(const segment& part) const noexcept {
        return farthest_ >= part.size() ? part.price : price_of_move(device_, part.price, part.size(), farthest_);
    }

    /// Packs a slide, lengthening it if alignment requires that, and takes it if it is the best so far.
    [[gnu::cold]] constexpr void consider(slide stretch) {
        // Packing stops as soon as it costs as much as the best. A range may fall short, where alignment leaves gaps
        // between blocks: then the next hole is added on the side to which the room opens.
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
    std::uint64_t farthest_ = 0;  // no block of a slide goes farther
    slide best_;
};

}  // namespace hbm::inline v0
