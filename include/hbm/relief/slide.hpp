#pragma once

/// Moves that keep the order of the blocks.

#include <hbm/core/block_map.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/core/request.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace hbm {

/// A block and where it goes, in quanta.
template <class Quanta>
struct relocation {
    block_index block = no_block;
    Quanta to = 0;

    friend constexpr bool operator==(const relocation&, const relocation&) = default;
};

template <class Quanta>
using relocations = std::vector<relocation<Quanta>>;

/// A stretch of memory in which everything that may slide is packed to one side. `near` is where the packing begins,
/// which is a hole, and `behind` is the first place beyond the other end.
template <class Position>
struct slide {
    Position near{};
    Position behind{};
    std::uint64_t price = ~std::uint64_t{0};
    bool up = false;  ///< towards the top; `behind` is below `near` then

    [[nodiscard]] constexpr bool is_found() const noexcept { return price != ~std::uint64_t{0}; }
};

/// Looks for slides in a strip: holes and blocks in the order of their offsets. A strip is asked
///
/// | expression                                        | meaning                                                        |
/// |---------------------------------------------------|----------------------------------------------------------------|
/// | `strip.from(up)`, `strip.none()`                  | where it begins, seen from the bottom or from the top; no place |
/// | `strip.next(at, up)`                              | the place above, or below where `up`; `none()` at the end       |
/// | `strip.is_hole(at)`, `strip.can_slide(at)`        | a hole; a block that may move. All else is a wall               |
/// | `strip.takes(at)`                                 | whether blocks may be packed into this hole                     |
/// | `strip.low(at)`, `strip.high(at)`                 | offsets                                                        |
/// | `strip.alignment(at)`                             | of a block                                                     |
/// | `strip.price(at, distance)`                       | of moving a block; it may only fall as the distance grows       |
///
/// The blocks that any plan moves which keeps the order include all between the outermost holes that it uses, so the
/// best is one of the stretches that begin at a hole and are as short as they can be. Two pointers over the holes find
/// the one whose blocks are cheapest at the greatest distance that there could be. Where its true price is more, as it
/// is when a block moves by less than its size and takes several copies, all others that could be cheaper are packed
/// on trial, in both directions. (Packing both ends outwards at once is never better: one side's blocks would go
/// farther the other way.)
template <class Strip>
class slide_finder {
public:
    using position = typename Strip::position;
    using found_slide = slide<position>;

    /// For a run of `size` at a multiple of `alignment`.
    constexpr slide_finder(const Strip& strip, std::uint64_t size, std::uint64_t alignment)
        : strip_(strip), size_(size), alignment_(alignment) {}

    /// The cheapest slide below the price `limit`. O(places) where no block moves by less than its size and none is
    /// aligned; otherwise at most `looks` times that, after which the cheapest so far is what is found.
    [[nodiscard]] constexpr found_slide cheapest(std::uint64_t limit) {
        prepare();
        best_ = {};
        best_.price = limit;
        found_slide least;
        least.price = limit;
        over_windows(false, [&](const found_slide& window) {
            if (window.price < least.price) least = window;
        });
        if (least.price == limit) return {};
        const std::uint64_t lower_bound = least.price;
        consider(least);
        if (best_.price != lower_bound) {
            for (const bool up : {false, true}) over_windows(up, [&](const found_slide& window) { consider(window); });
        }
        return best_.price == limit ? found_slide{} : best_;
    }

    /// The free range that a slide opens, as low and high end; `moved(at, to)` is called for each block, in the order
    /// in which they can move, and says whether to go on. O(places in it).
    template <class Moved>
    [[nodiscard]] constexpr std::pair<std::uint64_t, std::uint64_t> pack(const found_slide& some, Moved moved) const {
        std::uint64_t cursor = some.up ? strip_.high(some.near) : strip_.low(some.near);
        std::uint64_t end = cursor;
        for (position at = some.near; at != some.behind; at = strip_.next(at, some.up)) {
            end = some.up ? strip_.low(at) : strip_.high(at);
            if (strip_.is_hole(at)) continue;
            const std::uint64_t size = strip_.high(at) - strip_.low(at);
            const std::uint64_t to =
                some.up ? align_down(cursor - size, strip_.alignment(at)) : align_up(cursor, strip_.alignment(at));
            if (to != strip_.low(at) && !moved(at, to)) return {0, 0};
            cursor = some.up ? to : to + size;
        }
        if (some.up) return {end, cursor};
        return {cursor, end};
    }

private:
    static constexpr std::size_t looks = 32;

    [[nodiscard]] constexpr std::uint64_t size_of(position at) const noexcept {
        return strip_.high(at) - strip_.low(at);
    }

    constexpr void prepare() {
        std::size_t places = 0;
        std::uint64_t largest = 0;
        for (position at = strip_.from(false); at != strip_.none(); at = strip_.next(at, false)) {
            ++places;
            if (strip_.is_hole(at) && size_of(at) > largest) largest = size_of(at);
        }
        farthest_ = add_up(size_, largest);
        effort_ = places * looks;
    }

    /// Calls `visit` with the shortest stretch from each hole on that is long enough; its price is a lower bound.
    template <class Visit>
    constexpr void over_windows(bool up, Visit visit) {
        std::uint64_t free = 0;
        found_slide window{.near = strip_.from(up), .behind = strip_.from(up), .price = 0, .up = up};
        prices_.clear();
        std::size_t oldest = 0;
        while (window.near != strip_.none()) {
            while (window.behind != strip_.none() && free < size_) {
                if (strip_.is_hole(window.behind)) {
                    free += size_of(window.behind);
                } else if (strip_.can_slide(window.behind)) {
                    prices_.push_back(strip_.price(window.behind, farthest_));
                    window.price += prices_.back();
                } else {
                    break;
                }
                window.behind = strip_.next(window.behind, up);
            }
            if (free < size_) {  // a wall or the end: nothing that begins before it can do
                if (window.behind == strip_.none()) return;
                window.near = window.behind = strip_.next(window.behind, up);
                window.price = free = 0;
                oldest = prices_.size();
                continue;
            }
            if (!strip_.is_hole(window.near)) {
                window.price -= prices_[oldest++];
            } else {
                visit(window);
                free -= size_of(window.near);
            }
            window.near = strip_.next(window.near, up);
        }
    }

    /// Takes a window if it is the best so far once it is packed, be it longer because something is aligned.
    constexpr void consider(found_slide window) {
        if (!strip_.takes(window.near)) return;
        while (window.price < best_.price && effort_ > 0) {
            found_slide packed = window;
            packed.price = 0;
            const auto [low, high] = pack(packed, [&](position at, std::uint64_t to) {
                const std::uint64_t from = strip_.low(at);
                packed.price = add_up(packed.price, strip_.price(at, from < to ? to - from : from - to));
                if (effort_ > 0) --effort_;
                return packed.price < best_.price;
            });
            if (packed.price >= best_.price) return;
            const std::uint64_t begin = align_up(low, alignment_);
            if (begin >= low && begin <= high && high - begin >= size_) {
                best_ = packed;
                return;
            }
            if (window.behind == strip_.none()) return;
            if (!strip_.is_hole(window.behind)) {
                if (!strip_.can_slide(window.behind)) return;
                window.price = add_up(window.price, strip_.price(window.behind, farthest_));
            }
            window.behind = strip_.next(window.behind, window.up);
        }
    }

    const Strip& strip_;
    std::uint64_t size_;
    std::uint64_t alignment_;
    std::uint64_t farthest_ = 0;  // no block goes farther than that in a stretch that is as short as it can be
    std::size_t effort_ = 0;
    std::vector<std::uint64_t> prices_;  // of the blocks in the window, of which those before the oldest have left it
    found_slide best_;
};

/// The blocks of a map as a strip for `slide_finder`. `movable(block)` tells walls, `price(size, distance)` is what
/// moving a block costs, both in quanta.
template <class Quanta, class Movable, class Price>
class map_strip {
public:
    using position = block_index;

    /// All are referred to, not copied.
    constexpr map_strip(const block_map<Quanta>& map, const Movable& movable, const Price& price)
        : map_(map), movable_(movable), price_(price) {}

    [[nodiscard]] constexpr position from(bool up) const noexcept { return up ? map_.last() : map_.first(); }
    [[nodiscard]] static constexpr position none() noexcept { return no_block; }
    [[nodiscard]] constexpr position next(position at, bool up) const noexcept {
        return up ? map_.previous(at) : map_.next(at);
    }
    [[nodiscard]] constexpr bool is_hole(position at) const noexcept { return map_.is_hole(at); }
    [[nodiscard]] constexpr bool can_slide(position at) const { return movable_(at); }
    [[nodiscard]] static constexpr bool takes(position) noexcept { return true; }
    [[nodiscard]] constexpr std::uint64_t low(position at) const noexcept { return map_.offset(at); }
    [[nodiscard]] constexpr std::uint64_t high(position at) const noexcept { return map_.range(at).end(); }
    [[nodiscard]] constexpr std::uint64_t alignment(position at) const noexcept { return map_.alignment(at); }
    [[nodiscard]] constexpr std::uint64_t price(position at, std::uint64_t distance) const {
        return price_(map_.size(at), distance);
    }

private:
    const block_map<Quanta>& map_;
    const Movable& movable_;
    const Price& price_;
};

/// The cheapest slide that opens a run for `wanted` in a map, in an order in which it can be carried out; empty when
/// there is none. For the cost see `slide_finder`, for the functions `map_strip`.
template <class Quanta, class Movable, class Price>
[[nodiscard]] constexpr std::optional<relocations<Quanta>>
cheapest_slide(const block_map<Quanta>& map, const need<Quanta>& wanted, const Movable& movable, const Price& price) {
    const map_strip<Quanta, Movable, Price> strip(map, movable, price);
    slide_finder finder(strip, wanted.length, wanted.alignment);
    const auto best = finder.cheapest(~std::uint64_t{0});
    if (!best.is_found()) return std::nullopt;
    relocations<Quanta> moves;
    (void)finder.pack(best, [&](block_index block, std::uint64_t to) {
        moves.push_back({block, static_cast<Quanta>(to)});
        return true;
    });
    return moves;
}

/// The fewest blocks pushed up, in order, so that `range` is free: each goes just above the one below it until one need
/// not move. Empty when a wall or the end of memory is in the way. O(blocks from the beginning of memory).
template <class Quanta, class Movable>
[[nodiscard]] constexpr std::optional<relocations<Quanta>> push_up(const block_map<Quanta>& map,
                                                                   basic_extent<Quanta> range, Movable movable) {
    relocations<Quanta> upwards;
    Quanta cursor = range.end();
    for (block_index block = map.first(); block != no_block; block = map.next(block)) {
        if (map.is_hole(block) || map.range(block).end() <= range.offset) continue;
        if (map.offset(block) >= cursor) break;
        const Quanta to = align_up(cursor, map.alignment(block));
        if (!movable(block) || to < cursor || to > map.capacity() - map.size(block)) return std::nullopt;
        upwards.push_back({block, to});
        cursor = static_cast<Quanta>(to + map.size(block));
    }
    return relocations<Quanta>(upwards.rbegin(), upwards.rend());  // the topmost makes room for the others
}

}  // namespace hbm
