#pragma once

/// A quick search for the cheapest changes that make room: a window is emptied, and what was in it goes into holes
/// elsewhere, for which others may have to move in turn.

#include <hbm/core/bytes.hpp>
#include <hbm/relief/layout.hpp>
#include <hbm/relief/slide.hpp>
#include <hbm/relief/window_bound.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm {

/// Looks for the cheapest changes after which what a layout wants fits. It tries, and takes the cheapest of:
/// - the best slide, which is the best plan that keeps the order (see `cheapest_slide`);
/// - windows that begin or end at a block that is kept, the cheapest first: each block in one jumps into the smallest
///   hole that takes it outside the window, the largest block first; where there is none, room for it is made in the
///   same way, `most_depth` times over; or its program is evicted, where that is cheaper or nothing else helps.
/// Nothing moves twice. It may miss the cheapest, and a way at all where slides alone do not do; what it finds can be
/// carried out step by step. O(blocks) a block that jumps, bounded by the effort that it is given.
class room_search {
public:
    static constexpr std::uint64_t unlimited = ~std::uint64_t{0};
    static constexpr unsigned most_depth = 2;
    static constexpr std::size_t most_windows = 64;
    static constexpr std::size_t most_windows_for_others = 16;

    /// `effort`: about how many blocks may be looked at; the slide is always looked for.
    constexpr room_search(layout&& start, std::uint64_t effort) : now_(static_cast<layout&&>(start)), effort_(effort) {}

    /// The price of the cheapest way found below `limit`, whose changes are then `changes()`; `unlimited` if there is
    /// none.
    constexpr std::uint64_t run(std::uint64_t limit) {
        if (now_.fits()) return limit == 0 ? unlimited : 0;
        if (now_.anchored && now_.length > now_.capacity) return unlimited;
        const guest wanted{now_.length, now_.alignment};
        std::vector<section>& sections = sections_[excluded_.size()];
        divide(sections, wanted);
        std::vector<window> windows;
        std::uint64_t best = limit;
        std::vector<change> best_changes;
        if (now_.anchored) {
            windows.push_back({{now_.bottom, now_.length}, 0});
        } else {
            const section_strip strip{sections, now_};
            slide_finder finder(strip, wanted.size, wanted.alignment);
            if (const found_slide sliding = finder.cheapest(limit); sliding.is_found()) {
                best = sliding.price;
                carry_out(sections, finder, sliding);
                best_changes = changes_;
                undo_to(0);
            }
            list_windows(sections, wanted, best, most_windows, windows);
        }
        for (unsigned depth = 0; depth <= most_depth; ++depth) {  // what is quickly found makes what follows short
            for (const window& one : windows) {
                if (one.price >= best || effort_ == 0) break;
                if (const std::uint64_t price = empty(one.where, best, depth); price < best) {
                    best = price;
                    best_changes = changes_;
                }
                undo_to(0);
            }
        }
        if (best == limit && best_changes.empty()) return unlimited;
        changes_ = best_changes;
        return best;
    }

    /// What is left of the effort.
    [[nodiscard]] constexpr std::uint64_t effort() const noexcept { return effort_; }
    /// In the order in which they can be carried out.
    [[nodiscard]] constexpr const std::vector<change>& changes() const noexcept { return changes_; }

private:
    struct range {
        std::uint64_t low = 0;
        std::uint64_t high = 0;
    };
    /// What is to find a place: a block that has to go, or what is wanted.
    struct guest {
        std::uint64_t size = 0;
        std::uint64_t alignment = 1;
        std::uint64_t price = 0;   // of moving it farther than it is long
        std::uint64_t offset = 0;  // where it is
        block_index block = no_block;

        [[nodiscard]] constexpr std::uint64_t price_at(const layout& now, std::uint64_t to) const noexcept {
            return block == no_block ? 0 : now.price_of_move(price, size, to < offset ? offset - to : to - offset);
        }
    };
    enum class section_kind : std::uint8_t { hole, block, wall };
    /// A part of memory, as far as it concerns the guest: its own place is a hole, where it is not excluded.
    struct section {
        range where;
        std::uint64_t price = 0;  // of a block
        std::uint64_t least = 0;  // the same, or less if its program may go
        block_index block = no_block;
        section_kind kind = section_kind::hole;
        bool own = false;  // a hole, or a part of one, that the guest leaves behind
        std::uint8_t alignment_shift = 0;

        [[nodiscard]] constexpr std::uint64_t size() const noexcept { return where.high - where.low; }
        [[nodiscard]] constexpr std::uint64_t alignment() const noexcept { return std::uint64_t{1} << alignment_shift; }
    };
    struct window {
        range where;
        std::uint64_t price = 0;
    };
    /// The sections as a strip for `slide_finder`.
    struct section_strip {
        using position = std::size_t;

        const std::vector<section>& all;
        const layout& now;

        [[nodiscard]] static constexpr position none() noexcept { return ~std::size_t{0}; }
        [[nodiscard]] constexpr position from(bool up) const noexcept { return up || all.empty() ? all.size() - 1 : 0; }
        [[nodiscard]] constexpr position next(position at, bool up) const noexcept {
            if (up) return at - 1;
            return at + 1 == all.size() ? none() : at + 1;
        }
        [[nodiscard]] constexpr bool is_hole(position at) const noexcept { return all[at].kind == section_kind::hole; }
        [[nodiscard]] constexpr bool can_slide(position at) const noexcept {
            return all[at].kind == section_kind::block && all[at].price != unlimited;
        }
        // What the guest leaves behind is free only once it has left.
        [[nodiscard]] constexpr bool takes(position at) const noexcept { return !all[at].own; }
        [[nodiscard]] constexpr std::uint64_t low(position at) const noexcept { return all[at].where.low; }
        [[nodiscard]] constexpr std::uint64_t high(position at) const noexcept { return all[at].where.high; }
        [[nodiscard]] constexpr std::uint64_t alignment(position at) const noexcept { return all[at].alignment(); }
        [[nodiscard]] constexpr std::uint64_t price(position at, std::uint64_t distance) const noexcept {
            return now.price_of_move(all[at].price, all[at].size(), distance);
        }
    };
    using found_slide = slide<std::size_t>;

    [[nodiscard]] constexpr bool excludes(range some) const noexcept {
        for (const range& one : excluded_)
            if (one.low < some.high && some.low < one.high) return true;
        return false;
    }

    static constexpr void add_hole(std::vector<section>& sections, range where, bool own) {
        if (!sections.empty() && sections.back().kind == section_kind::hole &&
            sections.back().where.high == where.low) {
            sections.back().where.high = where.high;
            sections.back().own = sections.back().own || own;
        } else {
            sections.push_back({.where = where, .own = own});
        }
    }
    /// A hole less what is excluded, which is a wall.
    constexpr void add_free(std::vector<section>& sections, range where, bool own) const {
        while (where.low < where.high) {
            range wall{where.high, where.high};
            for (const range& one : excluded_)
                if (one.low < where.high && where.low < one.high && one.low <= wall.low)
                    wall = {one.low > where.low ? one.low : where.low, one.high < where.high ? one.high : where.high};
            if (wall.low > where.low) add_hole(sections, {where.low, wall.low}, own);
            if (wall.low < wall.high) sections.push_back({.where = wall, .kind = section_kind::wall});
            where.low = wall.high;
        }
    }

    /// All of memory for a guest. O(blocks).
    constexpr void divide(std::vector<section>& sections, const guest& wanted) {
        sections.clear();
        sections.reserve(now_.blocks.size() * 2 + 4 * excluded_.size() + 2);
        effort_ -= effort_ < now_.blocks.size() ? effort_ : now_.blocks.size();
        std::uint64_t end = now_.bottom;
        for (const tenant& one : now_.blocks) {
            if (one.gone) continue;
            const range where{one.offset, one.end()};
            if (where.low > end) add_free(sections, {end, where.low}, false);
            end = where.high;
            if (one.block == wanted.block) {
                add_free(sections, where, true);
                continue;
            }
            const bool wall =
                one.fixed || (!one.movable && one.program == no_index) || (!excluded_.empty() && excludes(where));
            sections.push_back({.where = where,
                                .price = one.movable ? one.price : unlimited,
                                .least = wall ? unlimited : least_price(now_, one),
                                .block = one.block,
                                .kind = wall ? section_kind::wall : section_kind::block,
                                .alignment_shift = static_cast<std::uint8_t>(std::countr_zero(one.alignment))});
        }
        if (end < now_.capacity) add_free(sections, {end, now_.capacity}, false);
    }

    /// Where a guest goes in a free range: to the end that is farther from where it is, or the low one.
    [[nodiscard]] constexpr std::uint64_t place_in(range room, const guest& wanted) const noexcept {
        const std::uint64_t low = align_up(room.low, wanted.alignment);
        if (wanted.block == no_block) return low;
        const std::uint64_t high = align_down(room.high - wanted.size, wanted.alignment);
        return wanted.price_at(now_, high) < wanted.price_at(now_, low) ? high : low;
    }

    /// Where the guest goes if nobody else moves: where that is cheapest, and of such holes into the smallest, the
    /// lowest of them. Returns the price; `unlimited` if there is none.
    [[nodiscard]] constexpr std::uint64_t go_to_hole(const std::vector<section>& sections, const guest& wanted,
                                                     std::uint64_t& place) const noexcept {
        std::uint64_t best = unlimited;
        std::uint64_t best_size = unlimited;
        for (const section& one : sections) {
            if (one.kind != section_kind::hole || one.size() < wanted.size) continue;
            if (!one.own && best == wanted.price && one.size() >= best_size) continue;
            if (!layout::holds(one.where.low, one.where.high, wanted.size, wanted.alignment)) continue;
            const std::uint64_t to = place_in(one.where, wanted);
            const std::uint64_t price = wanted.price_at(now_, to);
            if (price > best || (price == best && one.size() >= best_size)) continue;
            best = price;
            best_size = one.size();
            place = to;
        }
        return best;
    }

    constexpr void take(const change& next) {
        changes_.push_back(next);
        if (next.evicts) {
            changes_.back().from = now_.bottom;
            changes_.back().to = now_.length;
            now_.evict(next.subject);
        } else {
            now_.move(now_.find(next.subject, next.from), next.to);
        }
    }
    constexpr void undo_to(std::size_t mark) {
        while (changes_.size() > mark) {
            const change last = changes_.back();
            changes_.pop_back();
            if (last.evicts) {
                now_.bring_back(last.subject, last.from, last.to);
            } else {
                const std::size_t at = now_.move(now_.find(last.subject, last.to), last.from);
                now_.blocks[at].fixed = false;
            }
        }
    }

    /// Slides, and returns the range that this opens.
    constexpr range carry_out(const std::vector<section>& sections, const slide_finder<section_strip>& finder,
                              const found_slide& some) {
        const auto [low, high] = finder.pack(some, [&](std::size_t at, std::uint64_t to) {
            const section& one = sections[at];
            take({.subject = one.block, .from = one.where.low, .to = to, .aside = !excluded_.empty()});
            return true;
        });
        return {low, high};
    }

    /// The windows that would have to be emptied for the guest, at least `least` in price each and below `limit`, the
    /// cheapest first.
    constexpr void list_windows(const std::vector<section>& sections, const guest& wanted, std::uint64_t limit,
                                std::size_t most, std::vector<window>& found) const {
        const auto add = [&](range where, std::uint64_t price) {
            if (price >= limit || (found.size() == most && price >= found.back().price)) return;
            std::size_t place = found.size();
            while (place > 0 && found[place - 1].price > price) --place;
            if (found.size() == most) found.pop_back();
            found.insert(found.begin() + static_cast<std::ptrdiff_t>(place), {where, price});
        };
        const auto is = [&](std::size_t at, section_kind kind) { return sections[at].kind == kind; };
        std::size_t behind = 0;
        std::uint64_t price = 0;
        for (std::size_t first = 0; first < sections.size(); ++first) {
            if (is(first, section_kind::wall)) {
                behind = first + 1;
                price = 0;
                continue;
            }
            if (behind < first) behind = first;
            const std::uint64_t low = sections[first].where.low;
            const auto end = [&] { return behind == first ? low : sections[behind - 1].where.high; };
            const auto enough = [&] { return layout::holds(low, end(), wanted.size, wanted.alignment); };
            while (behind < sections.size() && !is(behind, section_kind::wall) &&
                   (!enough() || is(behind, section_kind::hole))) {
                if (is(behind, section_kind::block)) price += sections[behind].least;
                ++behind;
            }
            const bool after_hole = first > 0 && is(first - 1, section_kind::hole);
            if (!after_hole && enough()) {
                const std::uint64_t begin = align_up(low, wanted.alignment);
                add({begin, begin + wanted.size}, price);
                const std::uint64_t from_top = align_down(end() - wanted.size, wanted.alignment);
                // Where the lowest block is not in the way, the window is seen again from behind that block.
                const std::size_t lowest = is(first, section_kind::hole) ? first + 1 : first;
                if (from_top != begin && from_top < sections[lowest].where.high)
                    add({from_top, from_top + wanted.size}, price);
            }
            if (behind > first && is(first, section_kind::block)) price -= sections[first].least;
        }
    }

    /// Makes room for a guest in the cheapest way that is found below the price `limit`, its own move included, and
    /// says where in `*place`.
    constexpr std::uint64_t open(const guest& wanted, std::uint64_t limit, unsigned depth, std::uint64_t& place) {
        std::vector<section>& sections = sections_[excluded_.size()];
        divide(sections, wanted);
        std::uint64_t best = go_to_hole(sections, wanted, place);
        if (best == wanted.price) return best;  // nothing is cheaper than a guest that jumps
        if (depth == 0 || limit <= wanted.price) return best;
        if (best > limit) best = limit;
        const std::size_t mark = changes_.size();
        std::vector<change> best_changes;
        std::uint64_t best_place = 0;
        bool by_others = false;
        const auto consider = [&](std::uint64_t others, std::uint64_t to) {
            const std::uint64_t price = add_up(others, wanted.price_at(now_, to));
            if (price < best) {
                best = price;
                best_place = to;
                by_others = true;
                best_changes.assign(changes_.begin() + static_cast<std::ptrdiff_t>(mark), changes_.end());
            }
            undo_to(mark);
        };
        const section_strip strip{sections, now_};
        slide_finder finder(strip, wanted.size, wanted.alignment);
        if (const found_slide sliding = finder.cheapest(best - wanted.price); sliding.is_found()) {
            const range room = carry_out(sections, finder, sliding);
            consider(sliding.price, place_in(room, wanted));
        }
        std::vector<window> windows;
        list_windows(sections, wanted, best - wanted.price, most_windows_for_others, windows);
        for (const window& one : windows) {
            if (effort_ == 0 || one.price >= best - wanted.price) break;
            consider(empty(one.where, best - wanted.price, depth - 1), one.where.low);
        }
        if (!by_others) return best == limit ? unlimited : best;
        for (const change& next : best_changes) take(next);
        place = best_place;
        return best;
    }

    /// Moves or evicts everything out of a window, below the price `limit`.
    constexpr std::uint64_t empty(range wanted, std::uint64_t limit, unsigned depth) {
        excluded_.push_back(wanted);
        const std::uint64_t price = empty_excluded(wanted, limit, depth);
        excluded_.pop_back();
        return price;
    }
    constexpr std::uint64_t empty_excluded(range wanted, std::uint64_t limit, unsigned depth) {
        std::uint64_t price = 0;
        for (;;) {
            const std::size_t at = largest_in(wanted);
            if (at == now_.blocks.size()) return price;
            const tenant one = now_.blocks[at];
            const std::uint64_t eviction = one.program == no_index ? unlimited : now_.programs[one.program].price;
            if (!one.movable && eviction == unlimited) return unlimited;
            const std::uint64_t left = limit - price;
            std::uint64_t moving = unlimited;
            std::uint64_t to = 0;
            const std::size_t mark = changes_.size();
            if (one.movable && one.price < left && one.price < eviction) {
                moving = open({one.size, one.alignment, one.price, one.offset, one.block},
                              left < eviction ? left : eviction, depth, to);
            }
            if (moving <= eviction && moving < left) {
                if (to != one.offset)
                    take({.subject = one.block, .from = one.offset, .to = to, .aside = excluded_.size() > 1});
                now_.blocks[now_.find(one.block, to)].fixed = true;
                price += moving;
            } else if (eviction < left) {
                undo_to(mark);
                take({.evicts = true, .subject = one.program});
                price += eviction;
            } else {
                return unlimited;
            }
        }
    }
    /// The largest block that touches a range; as many as there are blocks if none does.
    [[nodiscard]] constexpr std::size_t largest_in(range wanted) const noexcept {
        const std::vector<tenant>& blocks = now_.blocks;
        std::size_t low = 0;
        for (std::size_t high = blocks.size(); low < high;) {
            const std::size_t middle = low + (high - low) / 2;
            if (blocks[middle].offset < wanted.low)
                low = middle + 1;
            else
                high = middle;
        }
        while (low > 0 && blocks[low - 1].gone) --low;
        if (low > 0) --low;
        std::size_t largest = blocks.size();
        for (std::size_t at = low; at < blocks.size() && blocks[at].offset < wanted.high; ++at) {
            const tenant& one = blocks[at];
            if (one.gone || one.end() <= wanted.low) continue;
            if (largest == blocks.size() || one.size > blocks[largest].size) largest = at;
        }
        return largest;
    }

    layout now_;
    std::uint64_t effort_;
    std::vector<range> excluded_;
    std::array<std::vector<section>, most_depth + 2> sections_;  // one for each depth
    std::vector<change> changes_;
};

}  // namespace hbm
