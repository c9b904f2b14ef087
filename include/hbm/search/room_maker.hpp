#pragma once

#include <hbm/core/bytes.hpp>
#include <hbm/core/trivial_vector.hpp>
#include <hbm/search/layout.hpp>
#include <hbm/search/price.hpp>
#include <hbm/search/slide.hpp>
#include <hbm/search/window_bound.hpp>
#include <hbm/search/windows.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Heuristic search for the cheapest changes that make room for a need or a larger reservation: the cheapest of
/// - the best plan that keeps the order (see `slide_finder`); for the reservation, pushing up the blocks above it;
/// - windows that begin or end at a block that is kept, the cheapest first. Each block of a window, the largest first,
/// jumps into the smallest hole outside it that holds it. If there is none, room for it is made recursively, up to
/// `max_depth`; or its program is evicted if that is cheaper or nothing else helps. A block of the window moves once;
/// blocks that make room for it may move again. May miss the cheapest plan, and any plan that needs more than slides.
/// The result is executable step by step.
/// Cost: O(blocks) per jump, bounded by the effort.
template <class Layout>
class room_maker {
public:
    static constexpr std::uint64_t unlimited = ~std::uint64_t{0};
    static constexpr unsigned max_depth = 2;
    static constexpr std::size_t max_windows = 64;
    static constexpr std::size_t max_windows_for_others = 16;
    /// The depth of `search_deeply`: sizes bound to their multiples have at most this many kinds.
    static constexpr unsigned deepest = 64;

    /// `effort` limits the number of blocks visited; the slide is always searched.
    [[gnu::cold]] constexpr room_maker(Layout&& start, std::uint64_t effort)
        : now_(static_cast<Layout&&>(start)), effort_(effort) {
        now_.lower();
    }

    /// From now on blocks take the first solution found, at any depth.
    constexpr void search_deeply() noexcept { deep_ = true; }

    /// Returns the price of the cheapest solution below `limit` that makes room for a need, or `unlimited`. Appends its
    /// changes to `changes()`, until `apply_pending` or `drop_pending`.
    [[gnu::cold]] constexpr std::uint64_t open(const layout_need& need, std::uint64_t limit) {
        const layout_block required{.size = need.length, .alignment = need.alignment};
        trivial_vector<segment>& segments = segments_[excluded_.size()];
        count_a_look();
        divide(segments, required);
        std::uint64_t sliding_price = unlimited;
        slide_finder finder(segments, now_.device, required.size, required.alignment);
        if (const slide sliding = finder.cheapest(limit); sliding.is_found()) {
            carry_out(finder, sliding);
            sliding_price = sliding.price;
        }
        trivial_vector<window> windows;
        list_windows(segments, need, sliding_price < limit ? sliding_price : limit, max_windows, windows);
        return empty_one_of(windows, limit, sliding_price);
    }
    /// Like `open`, for a reservation up to `level`.
    [[gnu::cold]] constexpr std::uint64_t grow_to(std::uint64_t level, std::uint64_t limit) {
        if (level > now_.capacity) return unlimited;
        trivial_vector<segment>& segments = segments_[excluded_.size()];
        count_a_look();
        divide(segments, {});
        return empty_one_of({{{now_.bottom, level}, 0}}, limit, push_up(segments, level, limit));
    }
    /// Applies the pending changes.
    [[gnu::cold]] constexpr void apply_pending() {
        const trivial_vector<change> pending(changes_.begin() + static_cast<std::ptrdiff_t>(done_), changes_.end());
        changes_.resize(done_);
        for (const change& next : pending) take(next);
        done_ = changes_.size();
    }

    /// Drops the pending changes.
    [[gnu::cold]] constexpr void drop_pending() noexcept { changes_.resize(done_); }
    /// Restarts from a layout, which `changes` led to.
    [[gnu::cold]] constexpr void restart(const Layout& start, const trivial_vector<change>& changes) {
        now_ = start;
        changes_ = changes;
        done_ = changes.size();
    }

    /// Reserves the smallest hole that holds a need, as a block that moves for free. Returns false if there is none.
    [[gnu::cold]] constexpr bool promise(const layout_need& need) {
        std::uint64_t to = 0;
        const std::uint64_t looks = now_.blocks.size() / 8;  // much faster than other looks
        effort_ -= effort_ < looks ? effort_ : looks;
        if (go_to_hole({.size = need.length, .alignment = need.alignment}, to) == unlimited) return false;
        now_.blocks.insert(now_.blocks.begin() + static_cast<std::ptrdiff_t>(now_.first_from(to)),
                           {.offset = to,
                            .size = need.length,
                            .alignment = need.alignment,
                            .block = no_block - ++promises_,
                            .movable = true});
        return true;
    }

    constexpr void forget_promises() noexcept { promises_ = 0; }
    /// Returns true for a block that stands for one of the first `needs` needs.
    [[nodiscard]] static constexpr bool stands_for_need(block_index block, std::size_t needs) noexcept {
        return no_block - block <= needs;
    }

    /// Returns the layout after the applied changes.
    [[nodiscard]] constexpr Layout& now() noexcept { return now_; }
    [[nodiscard]] constexpr std::uint64_t effort() const noexcept { return effort_; }
    /// Returns applied and pending changes in executable order.
    [[nodiscard]] constexpr const trivial_vector<change>& changes() const noexcept { return changes_; }

private:
    using range = range_of_quanta;
    /// Returns the price of moving a block to an offset; 0 for a need, which has no price.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t price_at(const layout_block& required,
                                                              std::uint64_t to) const noexcept {
        const std::uint64_t from = required.offset;
        return price_of_move(now_.device, required.price, required.size, to < from ? from - to : to - from);
    }

    /// Chooses between the pending changes, at `price`, and emptying a window, at less than `limit`.
    [[gnu::cold]] constexpr std::uint64_t empty_one_of(const trivial_vector<window>& windows, std::uint64_t limit,
                                                       std::uint64_t price) {
        std::uint64_t best = limit;
        trivial_vector<change> best_changes;
        const auto consider = [&](std::uint64_t price_found) {
            if (price_found < best) {
                best = price_found;
                best_changes.assign(changes_.begin() + static_cast<std::ptrdiff_t>(done_), changes_.end());
            }
            undo_to(done_);
        };
        consider(price);
        // A cheap early solution prunes the deeper searches.
        for (unsigned depth = deep_ ? deepest : 0; depth <= (deep_ ? deepest : max_depth); ++depth) {
            for (const window& candidate : windows) {
                if (candidate.price >= best || effort_ == 0) break;
                consider(empty(candidate.where, best, depth));
            }
        }
        if (best == limit) return unlimited;
        changes_.append(best_changes.begin(), best_changes.end());
        return best;
    }

    [[nodiscard, gnu::cold]] constexpr bool excludes(range part) const noexcept {
        for (const range& excluded : excluded_)
            if (excluded.low < part.high && part.low < excluded.high) return true;
        return false;
    }

    [[gnu::cold]] static constexpr void add_hole(trivial_vector<segment>& segments, range room, bool own) {
        if (!segments.empty() && segments.back().kind == segment_kind::hole && segments.back().high == room.low) {
            segments.back().high = room.high;
            segments.back().own = segments.back().own || own;
        } else {
            segments.push_back({.low = room.low, .high = room.high, .own = own});
        }
    }
    /// Calls `hole(range)` and `wall(range)`, for excluded parts, in ascending order over a free range.
    template <class Hole, class Wall>
    [[gnu::cold]] constexpr void split(range room, Hole hole, Wall wall) const {
        while (room.low < room.high) {
            range barred{room.high, room.high};
            for (const range& excluded : excluded_)
                if (excluded.low < room.high && room.low < excluded.high && excluded.low <= barred.low)
                    barred = {excluded.low > room.low ? excluded.low : room.low,
                              excluded.high < room.high ? excluded.high : room.high};
            if (barred.low > room.low) hole({room.low, barred.low});
            if (barred.low < barred.high) wall(barred);
            room.low = barred.high;
        }
    }

    /// Divides memory into segments for a need, or for a block that must move, whose place is a hole.
    constexpr void divide(trivial_vector<segment>& segments, const layout_block& required) const {
        now_.look_at(4 * now_.blocks.size());
        segments.clear();
        segments.reserve(now_.blocks.size() * 2 + 4 * excluded_.size() + 2);
        const auto add_free = [&](range room, bool own) {
            split(
                room, [&](range hole) { add_hole(segments, hole, own); },
                [&](range wall) {
                    segments.push_back({.low = wall.low, .high = wall.high, .kind = segment_kind::wall});
                });
        };
        std::uint64_t end = now_.bottom;
        for (const layout_block& block : now_.blocks) {
            if (block.gone) continue;
            const range room{block.offset, block.end()};
            if (room.low > end) add_free({end, room.low}, false);
            end = room.high;
            if (block.block == required.block) {
                add_free(room, true);
                continue;
            }
            const bool wall =
                block.fixed || (!block.movable && block.program == no_index) || (!excluded_.empty() && excludes(room));
            segment& next = segments.emplace_back();
            next.low = room.low;
            next.high = room.high;
            next.block = block.block;
            next.kind = wall ? segment_kind::wall : segment_kind::block;
            next.alignment_shift = static_cast<std::uint8_t>(std::countr_zero(block.alignment));
            if (block.movable) next.price = block.price;
            if (!wall) next.least = deep_ ? block.size : min_price(now_, block);
        }
        if (end < now_.capacity) add_free({end, now_.capacity}, false);
    }
    [[gnu::cold]] constexpr void count_a_look() noexcept {
        effort_ -= effort_ < now_.blocks.size() ? effort_ : now_.blocks.size();
        if (!now_.look_at(2 * now_.blocks.size())) effort_ = 0;
    }

    /// Returns the place in a free range: the end farther from the present place, or the low end.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t place_in(range room, const layout_block& required) const noexcept {
        const std::uint64_t low = align_up(room.low, required.alignment);
        if (required.block == no_block) return low;
        const std::uint64_t high = align_down(room.high - required.size, required.alignment);
        return price_at(required, high) < price_at(required, low) ? high : low;
    }

    /// Finds the cheapest hole for a request if nothing else moves; its own place is free. Ties go to the smallest,
    /// then the lowest. Returns the price or `unlimited`.
    [[nodiscard, gnu::cold]] constexpr std::uint64_t go_to_hole(const layout_block& required,
                                                                std::uint64_t& place) const {
        std::uint64_t best = unlimited;
        std::uint64_t best_size = unlimited;
        const auto consider = [&](range hole) {
            const std::uint64_t size = hole.high - hole.low;
            if (size < required.size || !hole.holds({required.size, required.alignment})) return;
            const std::uint64_t to = place_in(hole, required);
            const std::uint64_t price = price_at(required, to);
            if (price > best || (price == best && size >= best_size)) return;
            best = price;
            best_size = size;
            place = to;
        };
        std::uint64_t end = now_.bottom;
        for (std::size_t at = 0; at <= now_.blocks.size(); ++at) {
            const bool is_block = at < now_.blocks.size();
            if (is_block && (now_.blocks[at].gone || now_.blocks[at].block == required.block)) continue;
            const std::uint64_t next = is_block ? now_.blocks[at].offset : now_.capacity;
            if (next > end && next - end >= required.size) split({end, next}, consider, [](range) {});
            if (is_block) end = now_.blocks[at].end();
        }
        return best;
    }

    [[gnu::cold]] constexpr void take(const change& next) {
        changes_.push_back(next);
        if (next.evicts) {
            changes_.back().from = now_.bottom;
            now_.evict(next.subject);
        } else {
            near_ = now_.move(now_.find(next.subject, next.from, near_), next.to);
        }
    }
    [[gnu::cold]] constexpr void undo_to(std::size_t mark) {
        while (changes_.size() > mark) {
            const change last = changes_.back();
            changes_.pop_back();
            if (last.evicts) {
                now_.bring_back(last.subject, last.from);
            } else {
                near_ = now_.move(now_.find(last.subject, last.to, near_), last.from);
                now_.blocks[near_].fixed = false;
            }
        }
    }

    /// Applies a slide and returns the range that it opens.
    [[gnu::cold]] constexpr segment carry_out(const slide_finder<segment>& finder, const slide& sliding) {
        return finder.pack(sliding, [&](const segment& part, std::uint64_t to) {
            take({.subject = part.block, .from = part.low, .to = to, .aside = !excluded_.empty()});
            return true;
        });
    }

    /// Pushes up the blocks below `level`, each just above the one below it. Returns the price, or `unlimited` if it
    /// reaches `limit`, or a wall or the end of memory is in the way.
    [[gnu::cold]] constexpr std::uint64_t push_up(const trivial_vector<segment>& segments, std::uint64_t level,
                                                  std::uint64_t limit) {
        std::uint64_t price = 0;
        std::uint64_t cursor = level;
        trivial_vector<change> upwards;
        for (const segment& part : segments) {
            if (part.is_hole()) continue;
            if (part.low >= cursor) break;
            const std::uint64_t to = align_up(cursor, part.alignment());
            if (!part.can_slide() || to < cursor || to > now_.capacity - part.size()) return unlimited;
            price = saturating_add(price, price_of_move(now_.device, part.price, part.size(), to - part.low));
            if (price >= limit) return unlimited;
            upwards.push_back({.subject = part.block, .from = part.low, .to = to});
            cursor = to + part.size();
        }
        while (!upwards.empty()) {  // the topmost moves first
            take(upwards.back());
            upwards.pop_back();
        }
        return price;
    }

    /// Makes room for a request, at the offset that it stores in `place`, with moves of at most `depth` blocks after
    /// each other. Returns the least price found, the request's own move included; `limit` or more if none is below it.
    [[gnu::cold]] constexpr std::uint64_t open(const layout_block& required, std::uint64_t limit, unsigned depth,
                                               std::uint64_t& place) {
        count_a_look();
        std::uint64_t best = go_to_hole(required, place);
        if (best == required.price) return best;  // a single jump is optimal
        if (depth == 0 || limit <= required.price) return best;
        trivial_vector<segment>& segments = segments_[excluded_.size()];
        divide(segments, required);
        if (best > limit) best = limit;
        const std::size_t mark = changes_.size();
        trivial_vector<change> best_changes;
        std::uint64_t best_place = 0;
        bool by_others = false;
        const auto consider = [&](std::uint64_t others, std::uint64_t to) {
            const std::uint64_t price = saturating_add(others, price_at(required, to));
            if (price < best) {
                best = price;
                best_place = to;
                by_others = true;
                best_changes.assign(changes_.begin() + static_cast<std::ptrdiff_t>(mark), changes_.end());
            }
            undo_to(mark);
        };
        slide_finder finder(segments, now_.device, required.size, required.alignment);
        const slide sliding = finder.cheapest(best - required.price);
        if (deep_) effort_ -= finder.looked_at() < effort_ ? finder.looked_at() : effort_;
        if (sliding.is_found()) {
            const segment room = carry_out(finder, sliding);
            consider(sliding.price, place_in({room.low, room.high}, required));
        }
        trivial_vector<window> windows;
        list_windows(segments, {required.size, required.alignment}, best - required.price, max_windows_for_others,
                     windows);
        for (const window& candidate : windows) {
            if (effort_ == 0 || candidate.price >= best - required.price || (deep_ && by_others)) break;
            consider(empty(candidate.where, best - required.price, depth - 1), candidate.where.low);
        }
        if (!by_others) return best == limit ? unlimited : best;
        for (const change& next : best_changes) take(next);
        place = best_place;
        return best;
    }

    /// Moves or evicts everything out of a window, below `limit`.
    [[gnu::cold]] constexpr std::uint64_t empty(range required, std::uint64_t limit, unsigned depth) {
        excluded_.push_back(required);
        const std::uint64_t price = empty_excluded(required, limit, depth);
        excluded_.pop_back();
        return price;
    }
    [[gnu::cold]] constexpr std::uint64_t empty_excluded(range required, std::uint64_t limit, unsigned depth) {
        std::uint64_t price = 0;
        for (;;) {
            const std::size_t at = largest_in(required);
            if (at == now_.blocks.size()) return price;
            if (now_.is_exhausted()) return unlimited;
            const layout_block block = now_.blocks[at];
            const std::uint64_t eviction = block.program == no_index ? unlimited : now_.programs[block.program].price;
            if (!block.movable && eviction == unlimited) return unlimited;
            const std::uint64_t left = limit - price;
            std::uint64_t moving = unlimited;
            std::uint64_t to = 0;
            const std::size_t mark = changes_.size();
            if (block.movable && block.price < left && block.price < eviction) {
                moving = open(block, left < eviction ? left : eviction, depth, to);
                // The solution may have moved the block itself.
                if (moving != unlimited && !stands(block)) {
                    undo_to(mark);
                    moving = unlimited;
                }
            }
            if (moving <= eviction && moving < left) {
                take({.subject = block.block, .from = block.offset, .to = to, .aside = excluded_.size() > 1});
                now_.blocks[now_.find(block.block, to, near_)].fixed = !deep_;
                price += moving;
            } else if (eviction < left) {
                undo_to(mark);
                take({.evicts = true, .subject = block.program});
                price += eviction;
            } else {
                return unlimited;
            }
        }
    }
    [[nodiscard, gnu::cold]] constexpr bool stands(const layout_block& block) const noexcept {
        for (const layout_block& other : now_.blocks)
            if (other.block == block.block) return other.offset == block.offset && !other.gone;
        return false;
    }
    /// Returns the largest block that overlaps a range, or the number of blocks if there is none.
    [[nodiscard, gnu::cold]] constexpr std::size_t largest_in(range required) const noexcept {
        const trivial_vector<layout_block>& blocks = now_.blocks;
        std::size_t low = now_.first_from(required.low);
        while (low > 0 && blocks[low - 1].gone) --low;
        if (low > 0) --low;
        std::size_t largest = blocks.size();
        for (std::size_t at = low; at < blocks.size() && blocks[at].offset < required.high; ++at) {
            const layout_block& block = blocks[at];
            if (block.gone || block.end() <= required.low) continue;
            if (largest == blocks.size() || block.size > blocks[largest].size) largest = at;
        }
        return largest;
    }

    Layout now_;
    std::size_t near_ = 0;  // index of the last block that moved
    std::uint64_t effort_;
    bool deep_ = false;
    trivial_vector<range> excluded_;
    std::array<trivial_vector<segment>, deepest + 2> segments_;  // segments of each depth
    trivial_vector<change> changes_;
    std::size_t done_ = 0;        // number of applied changes
    std::uint32_t promises_ = 0;  // their blocks have the last indexes
};

}  // namespace hbm::inline v0
