#pragma once

#include <hbm/planning/slide.hpp>

#include <cstddef>
#include <cstdint>

namespace hbm::inline v0 {

/// Heuristic search for the cheapest changes that make room for one need or a larger reservation: the cheapest of
/// - the best plan that keeps the order (see `slide_finder`); for the reservation, pushing up the blocks above it;
/// - windows that begin or end at a block that is kept, the cheapest first. Each block of a window, the largest first,
/// jumps into the smallest hole outside it that holds it. If there is none, room for it is made recursively, up to
/// `max_depth`; or its program is evicted if that is cheaper or nothing else helps. A block of the window moves once;
/// blocks that make room for it may move again. May miss the cheapest plan, and any
/// plan that needs more than slides. The result is executable step by step. Cost: O(blocks) per jump, bounded by the
/// effort.
class room_maker {
public:
    static constexpr unsigned max_depth = 2;
    static constexpr std::size_t max_windows = 64;
    static constexpr std::size_t max_windows_for_others = 16;
    /// The depth of `search_deeply`: sizes bound to their multiples have at most this many kinds.
    static constexpr unsigned deepest = 64;

    /// `effort` limits the number of blocks visited; the slide is always searched.
    constexpr room_maker(layout&& start, std::uint64_t effort) : now_(static_cast<layout&&>(start)), effort_(effort) {
        now_.lower();
    }

    /// From now on blocks take the first solution found, at any depth.
    constexpr void search_deeply() noexcept { deep_ = true; }

    /// Returns the price of the cheapest solution below `limit` that makes room for a need, or `unlimited_price`.
    /// Appends its changes to `changes()`, until `apply_pending` or `drop_pending`.
    [[gnu::cold]] constexpr std::uint64_t open(const layout_need& need, std::uint64_t limit) {
        count_a_look();
        const segments& parts = divided(now_.blocks.size());
        trivial_vector<change> moves;
        slide_finder finder(parts, now_.device, need.length, need.alignment);
        const slide sliding = finder.cheapest(limit);
        if (sliding.is_found()) list_moves(finder, sliding, moves);
        // The slide comes first: it is found in one pass, and its price leaves few windows worth emptying.
        const std::uint64_t below = sliding.price < limit ? sliding.price : limit;
        return empty_one_of(list_windows(parts, need, below, max_windows), limit, sliding.price, moves);
    }
    /// Like `open`, for a reservation up to `level`.
    [[gnu::cold]] constexpr std::uint64_t grow_to(std::uint64_t level, std::uint64_t limit) {
        if (level > now_.capacity) return unlimited_price;
        count_a_look();
        const segments& parts = divided(now_.blocks.size());
        trivial_vector<change> moves;
        const std::uint64_t price = push_up(parts, level, limit, moves);
        return empty_one_of({{{now_.bottom, level}, 0}}, limit, price, moves);
    }

    /// Applies the pending changes.
    [[gnu::cold]] constexpr void apply_pending() {
        const trivial_vector<change> pending(changes_.begin() + static_cast<std::ptrdiff_t>(applied_), changes_.end());
        changes_.resize(applied_);
        for (const change& next : pending) take(next);
        applied_ = changes_.size();
    }
    constexpr void drop_pending() noexcept { changes_.resize(applied_); }
    /// Restarts from a layout, which `changes` led to.
    [[gnu::cold]] constexpr void restart(const layout& start, const trivial_vector<change>& changes) {
        now_ = start;
        changes_ = changes;
        applied_ = changes.size();
    }

    /// Gives a need the smallest hole that holds it: a block without a number stands for it, and moves for free.
    /// Returns false if there is none.
    [[gnu::cold]] constexpr bool promise(const layout_need& need) {
        layout_block placed{.size = need.length, .alignment = need.alignment, .movable = true};
        spend(now_.blocks.size() / 8);  // much faster than other looks
        if (go_to_hole(placed, now_.blocks.size(), placed.offset) == unlimited_price) return false;
        const std::size_t at = now_.first_from(placed.offset);
        now_.blocks.insert(now_.blocks.begin() + static_cast<std::ptrdiff_t>(at), placed);
        return true;
    }

    /// Returns the layout after the applied changes.
    constexpr layout& now() noexcept { return now_; }
    constexpr std::uint64_t effort() const noexcept { return effort_; }
    /// Returns applied and pending changes in executable order.
    constexpr const trivial_vector<change>& changes() const noexcept { return changes_; }

private:
    /// Chooses between `moves`, at `price`, and emptying a window, at less than `limit`.
    /// Depth by depth, all windows at each: a cheap early solution prunes the deeper searches.
    [[gnu::cold]] constexpr std::uint64_t empty_one_of(const trivial_vector<window>& windows, std::uint64_t limit,
                                                       std::uint64_t price, const trivial_vector<change>& moves) {
        std::uint64_t best = price < limit ? price : limit;
        trivial_vector<change> best_changes;
        if (price < limit) best_changes = moves;
        const auto consider = [&](std::uint64_t price_found) {
            if (price_found < best) {
                best = price_found;
                best_changes.assign(changes_.begin() + static_cast<std::ptrdiff_t>(applied_), changes_.end());
            }
            undo_to(applied_);
        };
        for (unsigned depth = deep_ ? deepest : 0; depth <= (deep_ ? deepest : max_depth); ++depth) {
            for (const window& candidate : windows) {
                if (candidate.price >= best || effort_ == 0) break;
                consider(empty(candidate.where, best, depth));
            }
        }
        if (best == limit) return unlimited_price;
        changes_.append(best_changes.begin(), best_changes.end());
        return best;
    }

    constexpr void spend(std::uint64_t looks) noexcept { effort_ -= effort_ < looks ? effort_ : looks; }
    [[gnu::cold]] constexpr void count_a_look() noexcept {
        spend(now_.blocks.size());
        if (!now_.look_at(2 * now_.blocks.size())) effort_ = 0;
    }
    /// Divides memory for a need, or for the block at `self`, which must move. A deep search takes the windows with the
    /// fewest quanta first: blocks bound to multiples of their size can always make way for a larger one like that.
    /// The row is good until the next division: windows are listed before the search goes deeper.
    [[gnu::cold]] constexpr const segments& divided(std::size_t self) {
        now_.look_at(4 * now_.blocks.size());
        divide(now_, now_.bottom, barred_, self, parts_);
        if (deep_)
            for (segment& part : parts_)
                if (part.kind == segment_kind::block) part.least = part.size();
        return parts_;
    }

    /// Returns the price of moving a block to an offset; 0 for a need, which has no price.
    constexpr std::uint64_t price_at(const layout_block& block, std::uint64_t to) const noexcept {
        return price_of_move(now_.device, block.price, block.size,
                             to < block.offset ? block.offset - to : to - block.offset);
    }
    /// Returns the place in a free range: the end farther from the present place, or the low end.
    constexpr std::uint64_t place_in(range_of_quanta room, const layout_block& block) const noexcept {
        const std::uint64_t low = align_up(room.low, block.alignment);
        const std::uint64_t high = align_down(room.high - block.size, block.alignment);
        return price_at(block, high) < price_at(block, low) ? high : low;
    }
    /// Finds the cheapest hole for `block` if nothing else moves; the place of the block at `self`, its own, is free.
    /// Ties go to the smallest, then the lowest. Returns the price or `unlimited_price`.
    [[gnu::cold]] constexpr std::uint64_t go_to_hole(const layout_block& block, std::size_t self,
                                                     std::uint64_t& place) const {
        std::uint64_t best = unlimited_price;
        std::uint64_t best_size = unlimited_price;
        const auto consider = [&](const segment& hole) {
            const range_of_quanta room{hole.low, hole.high};
            if (best == block.price && room.size() >= best_size) return;  // it can neither be cheaper nor smaller
            if (!hole.is_hole() || !room.holds({block.size, block.alignment})) return;
            const std::uint64_t to = place_in(room, block);
            const std::uint64_t price = price_at(block, to);
            if (price > best || (price == best && room.size() >= best_size)) return;
            best = price;
            best_size = room.size();
            place = to;
        };
        std::uint64_t end = now_.bottom;
        for (std::size_t at = 0; at <= now_.blocks.size(); ++at) {
            const bool is_block = at < now_.blocks.size();
            if (is_block && (now_.blocks[at].gone || at == self)) continue;
            const std::uint64_t next = is_block ? now_.blocks[at].offset : now_.capacity;
            if (next > end && next - end >= block.size) split({end, next}, barred_, consider);
            if (is_block) end = now_.blocks[at].end();
        }
        return best;
    }

    // Changes are applied to `now_` as soon as they are chosen, and taken back from the last to the first. So all of
    // the search works on one layout; a copy for each window would cost more than the search in it.
    [[gnu::cold]] constexpr void take(const change& next) {
        changes_.push_back(next);
        if (next.evicts) {
            changes_.back().from = now_.bottom;
            now_.evict(next.subject);
        } else {
            now_.move(now_.find(next.subject, next.from), next.to);
        }
    }
    [[gnu::cold]] constexpr void undo_to(std::size_t mark) {
        while (changes_.size() > mark) {
            const change last = changes_.back();
            changes_.pop_back();
            if (last.evicts) {
                now_.bring_back(last.subject, last.from);
            } else {
                const std::size_t at = now_.move(now_.find(last.subject, last.to), last.from);
                now_.blocks[at].fixed = false;
            }
        }
    }

    /// Lists the moves of a slide and returns the range that it opens. The budget pays for making and undoing them.
    [[gnu::cold]] constexpr range_of_quanta list_moves(const slide_finder& finder, const slide& sliding,
                                                       trivial_vector<change>& moves) const {
        const segment opened = finder.pack(sliding, [&](const segment& part, std::uint64_t to) {
            moves.push_back({.subject = part.block, .from = part.low, .to = to, .aside = !barred_.empty()});
            return true;
        });
        now_.look_at(48 * moves.size());
        return {opened.low, opened.high};
    }
    /// Pushes up the blocks below `level`, each just above the one below it, the topmost first. Returns the price, or
    /// `unlimited_price` if it reaches `limit`, or a wall or the end of memory is in the way.
    [[gnu::cold]] constexpr std::uint64_t push_up(const segments& parts, std::uint64_t level, std::uint64_t limit,
                                                  trivial_vector<change>& moves) const {
        // Blocks are visited from the bottom, as each ends where the next must begin, and moved from the top, so that
        // each finds its place free.
        std::uint64_t price = 0;
        std::uint64_t cursor = level;
        trivial_vector<change> upwards;
        for (const segment& part : parts) {
            if (part.is_hole()) continue;
            if (part.low >= cursor) break;
            const std::uint64_t to = align_up(cursor, part.alignment());
            if (!part.can_slide() || to < cursor || to > now_.capacity - part.size()) return unlimited_price;
            price = saturating_add(price, price_of_move(now_.device, part.price, part.size(), to - part.low));
            if (price >= limit) return unlimited_price;
            upwards.push_back({.subject = part.block, .from = part.low, .to = to});
            cursor = to + part.size();
        }
        now_.look_at(48 * upwards.size());
        for (; !upwards.empty(); upwards.pop_back()) moves.push_back(upwards.back());
        return price;
    }

    /// Moves or evicts everything out of a window, below `limit`. While that lasts, nobody may move into the window, so
    /// each round leaves less in it, and it ends. The largest block goes first: few holes take it, and the small ones
    /// that come later fit nearly anywhere. Changes stay applied, also where it fails: the caller takes them back.
    [[gnu::cold]] constexpr std::uint64_t empty(range_of_quanta room, std::uint64_t limit, unsigned depth) {
        const auto place = [&] {
            std::size_t at = 0;
            while (at < barred_.size() && barred_[at].low < room.low) ++at;
            return barred_.begin() + static_cast<std::ptrdiff_t>(at);
        };
        barred_.insert(place(), room);
        std::uint64_t price = 0;
        for (std::size_t at = largest_in(room); price < limit && at != now_.blocks.size(); at = largest_in(room))
            price = saturating_add(price, clear(at, limit - price, depth));
        barred_.erase(place());
        return price < limit ? price : unlimited_price;
    }
    /// Moves the block at an index away, or evicts its program if that is cheaper. Returns the price; unlimited if
    /// neither is possible below `limit`. Moves are searched below the price of the eviction only.
    [[gnu::cold]] constexpr std::uint64_t clear(std::size_t at, std::uint64_t limit, unsigned depth) {
        // The price of the eviction limits the search for a place. Room for the block may be made by moving others,
        // even by a slide of the block itself: then it is not where it was, and the solution is dropped.
        if (now_.is_exhausted()) return unlimited_price;
        const layout_block block = now_.blocks[at];
        const std::uint64_t eviction = block.program == no_index ? unlimited_price : now_.programs[block.program].price;
        std::uint64_t moving = unlimited_price;
        std::uint64_t to = 0;
        const std::size_t mark = changes_.size();
        if (block.movable && block.price < limit && block.price < eviction) {
            moving = make_place(at, limit < eviction ? limit : eviction, depth, to);
            if (moving != unlimited_price && !stands(block)) {  // the solution has moved the block itself
                undo_to(mark);
                moving = unlimited_price;
            }
        }
        if (moving <= eviction && moving < limit) {
            take({.subject = block.block, .from = block.offset, .to = to, .aside = barred_.size() > 1});
            now_.blocks[now_.find(block.block, to)].fixed = !deep_;
            return moving;
        }
        if (eviction >= limit) return unlimited_price;
        undo_to(mark);
        take({.evicts = true, .subject = block.program});
        return eviction;
    }
    /// Finds a place for the block at `self`, and stores its offset in `place`: a hole; or else, with moves of at most
    /// `depth` blocks after each other, a run that a slide opens or a window that others leave. Returns the least price
    /// found, the block's own move included; `limit` or more if none is below it.
    [[gnu::cold]] constexpr std::uint64_t make_place(std::size_t self, std::uint64_t limit, unsigned depth,
                                                     std::uint64_t& place) {
        // What others cost comes on top of the block's own move, so all that is not below `best` less its price is out.
        // A deep search takes the first window that works: it wants any solution, and windows are many at each depth.
        const layout_block block = now_.blocks[self];
        count_a_look();
        std::uint64_t best = go_to_hole(block, self, place);
        if (best == block.price) return best;  // a single jump is optimal
        if (depth == 0 || limit <= block.price) return best;
        if (best > limit) best = limit;
        const std::size_t mark = changes_.size();
        trivial_vector<change> best_changes;
        bool by_others = false;
        const auto consider = [&](std::uint64_t others, std::uint64_t to, const change* first, const change* last) {
            const std::uint64_t price = saturating_add(others, price_at(block, to));
            if (price >= best) return;
            best = price;
            place = to;
            by_others = true;
            best_changes.assign(first, last);
        };
        const segments& parts = divided(self);
        slide_finder finder(parts, now_.device, block.size, block.alignment);
        const slide sliding = finder.cheapest(best - block.price);
        if (deep_) spend(finder.looked_at());
        if (sliding.is_found()) {
            trivial_vector<change> moves;
            const std::uint64_t to = place_in(list_moves(finder, sliding, moves), block);
            consider(sliding.price, to, moves.begin(), moves.end());
        }
        for (const window& candidate :
             list_windows(parts, {block.size, block.alignment}, best - block.price, max_windows_for_others)) {
            if (effort_ == 0 || candidate.price >= best - block.price || (deep_ && by_others)) break;
            const std::uint64_t others = empty(candidate.where, best - block.price, depth - 1);
            consider(others, candidate.where.low, changes_.begin() + static_cast<std::ptrdiff_t>(mark), changes_.end());
            undo_to(mark);
        }
        for (const change& next : best_changes) take(next);
        return by_others || best < limit ? best : unlimited_price;
    }
    constexpr bool stands(const layout_block& block) const noexcept {
        for (const layout_block& other : now_.blocks)
            if (other.block == block.block && other.offset == block.offset && !other.gone) return true;
        return false;
    }
    /// Returns the index of the largest block that overlaps a range, or the number of blocks if there is none.
    [[gnu::cold]] constexpr std::size_t largest_in(range_of_quanta room) const noexcept {
        const trivial_vector<layout_block>& blocks = now_.blocks;
        std::size_t low = now_.first_from(room.low);
        while (low > 0 && blocks[low - 1].gone) --low;
        if (low > 0) --low;
        std::size_t largest = blocks.size();
        for (std::size_t at = low; at < blocks.size() && blocks[at].offset < room.high; ++at) {
            const layout_block& block = blocks[at];
            if (block.gone || block.end() <= room.low) continue;
            if (largest == blocks.size() || block.size > blocks[largest].size) largest = at;
        }
        return largest;
    }

    layout now_;
    std::uint64_t effort_;
    bool deep_ = false;
    trivial_vector<range_of_quanta> barred_;  // windows that are being emptied, in ascending order
    segments parts_;                          // memory divided
    trivial_vector<change> changes_;
    std::size_t applied_ = 0;  // number of applied changes
};

}  // namespace hbm::inline v0
