#pragma once

/// Exact search for moves that make room, for memories of few blocks. It knows nothing of managers: ranges in, moves
/// out.

#include <hbm/blocks/block_map.hpp>
#include <hbm/core/bytes.hpp>
#include <hbm/search/slide.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hbm {

/// A block as the search sees it, or something that is to be placed. The unit is the quantum.
struct piece {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t alignment = 1;
    std::uint64_t price = 0;       ///< of one move
    block_index block = no_block;  ///< none for what is to be placed
    bool movable = true;           ///< no wall
    bool anchored = false;         ///< the reservation at the bottom, or a part that is to go right above it
};

/// Says how a search ended.
enum class search_end : std::uint8_t {
    found,
    exhausted,  ///< there is no arrangement in which everything finds its place
    given_up,   ///< the search became too long, or what it found was not accepted
};

/// Looks for the cheapest way to rearrange blocks so that all `parts` find a place: Dijkstra's algorithm over the
/// orders in which the blocks can lie. One step opens a gap, by packing neighbours to both sides of it, and moves one
/// block into it. What counts is the order only: whichever gap some layout of an order has, packing opens it in every
/// layout of that order. Blocks of one size and alignment stand for each other, and where nothing is aligned the order
/// between two walls does not matter either. So it misses nothing that moves of one block at a time can reach; its
/// price is the least of those that it saw. O(orders x blocks^4), bounded by `max_orders`.
class arrangement_search {
public:
    static constexpr std::size_t max_orders = 3000;

    /// `blocks` in address order; an anchored part comes first.
    arrangement_search(std::uint64_t capacity, const std::vector<piece>& blocks, const std::vector<piece>& parts)
        : capacity_(capacity), parts_(parts) {
        for (const std::vector<piece>* some : {&blocks, &parts})
            for (const piece& one : *some) aligned_ = aligned_ || one.alignment > 1;
        nodes_.push_back({.order = blocks});
        queue_.push_back({0, 0});
    }

    /// Calls `accepts(moves)` for what it finds until it returns true.
    template <class Accepts>
    search_end run(Accepts accepts) {
        if (!could_ever_fit()) return search_end::exhausted;
        bool refused = false;
        for (std::size_t looked_at = 0; !queue_.empty(); ++looked_at) {
            if (looked_at == max_orders) return search_end::given_up;
            std::pop_heap(queue_.begin(), queue_.end(), dearer);
            const auto [price, at] = queue_.back();
            queue_.pop_back();
            const std::size_t placed = nodes_[at].placed;
            if (placed == parts_.size()) {
                if (accepts(moves_to(at))) return search_end::found;
                // Who places the parts may choose other holes than the search did; there is less to choose from where
                // all that is free between two walls is one hole.
                if (!nodes_[at].packed) add_packed(at);
                refused = true;
                continue;
            }
            const bool is_plain = at != 0 && !nodes_[at].of_same_order;
            if (is_plain && cheapest_[key_of(nodes_[at])] < price) continue;
            place_next(at);
            // Moves come before placing: they have more room then.
            if (placed == 0 && !nodes_[at].of_same_order) move_each(at);
        }
        return refused ? search_end::given_up : search_end::exhausted;
    }

private:
    struct node {
        std::vector<piece> order = {};  // in address order
        std::size_t placed = 0;         // how many of the parts are among them
        std::uint64_t price = 0;
        bool packed = false;         // all blocks, downwards
        bool of_same_order = false;  // as the first; for its price alone
        std::size_t before = 0;      // the node from which it comes
        relocations<std::uint64_t> moves = {};
    };
    /// How to open a gap: the pieces [low, high) around it are packed to both sides; the rest of it is `room`.
    struct opening {
        std::size_t low = 0;
        std::size_t high = 0;
        extent room;
        std::uint64_t price = std::numeric_limits<std::uint64_t>::max();
    };

    static constexpr bool dearer(const std::pair<std::uint64_t, std::size_t>& a,
                                 const std::pair<std::uint64_t, std::size_t>& b) noexcept {
        return a > b;
    }

    /// False when the free bytes or the longest stretch between walls are too few: no move helps then.
    [[nodiscard]] bool could_ever_fit() const {
        std::uint64_t needed = 0;
        std::uint64_t longest = 0;
        for (const piece& part : parts_) {
            if (part.size > capacity_ - needed) return false;
            needed += part.size;
            longest = std::max(longest, part.size);
        }
        std::uint64_t occupied = 0;
        std::uint64_t stretch = 0;
        std::uint64_t begin = 0;
        for (const piece& one : nodes_.front().order) {
            occupied += one.size;
            if (one.movable) continue;
            stretch = std::max(stretch, one.offset - begin);
            begin = one.offset + one.size;
        }
        return needed <= capacity_ - occupied && longest <= std::max(stretch, capacity_ - begin);
    }

    /// What two orders have in common that are as good as each other.
    [[nodiscard]] std::string key_of(const node& known) const {
        std::vector<std::uint64_t> key{known.placed};
        std::size_t stretch = key.size();
        const auto end_stretch = [&] {
            if (!aligned_) std::sort(key.begin() + static_cast<std::ptrdiff_t>(stretch), key.end());
        };
        for (const piece& one : known.order) {
            if (one.movable) {
                key.push_back(one.size * 2 + (one.block == no_block));
                if (aligned_) key.push_back(one.alignment);
                continue;
            }
            end_stretch();
            key.push_back(std::numeric_limits<std::uint64_t>::max());
            stretch = key.size();
        }
        end_stretch();
        return {reinterpret_cast<const char*>(key.data()), key.size() * sizeof key[0]};
    }

    [[nodiscard]] relocations<std::uint64_t> moves_to(std::size_t at) const {
        std::vector<std::size_t> way;
        for (; at != 0; at = nodes_[at].before) way.push_back(at);
        relocations<std::uint64_t> moves;
        for (std::size_t i = way.size(); i-- > 0;)
            moves.insert(moves.end(), nodes_[way[i]].moves.begin(), nodes_[way[i]].moves.end());
        return moves;
    }

    [[nodiscard]] static std::uint64_t end_of(const piece& one) noexcept { return one.offset + one.size; }

    /// The cheapest way to open a gap for `wanted` before the piece `gap`.
    [[nodiscard]] std::optional<opening> open(const std::vector<piece>& order, std::size_t gap,
                                              const piece& wanted) const {
        opening best;
        std::uint64_t low_price = 0;
        for (std::size_t low = gap;; --low) {
            std::uint64_t begin = low == 0 ? 0 : end_of(order[low - 1]);
            low_price = 0;
            for (std::size_t i = low; i < gap; ++i) {
                const std::uint64_t to = align_up(begin, order[i].alignment);
                if (to != order[i].offset) low_price += order[i].price;
                begin = to + order[i].size;
            }
            if (low_price >= best.price) break;
            const std::uint64_t room = align_up(begin, wanted.alignment);
            if (room < begin) break;  // no multiple of so large an alignment is left
            begin = room;
            for (std::size_t high = gap;; ++high) {
                std::uint64_t end = high == order.size() ? capacity_ : order[high].offset;
                std::uint64_t price = low_price;
                for (std::size_t i = high; i-- > gap;) {
                    const std::uint64_t to = align_down(end - order[i].size, order[i].alignment);
                    if (to != order[i].offset) price += order[i].price;
                    end = to;
                }
                if (begin <= end && end - begin >= wanted.size && price < best.price)
                    best = {low, high, {begin, end - begin}, price};
                if (high == order.size() || !order[high].movable || price >= best.price) break;
            }
            if (low == 0 || wanted.anchored || !order[low - 1].movable) break;
        }
        if (best.price == std::numeric_limits<std::uint64_t>::max()) return std::nullopt;
        return best;
    }

    /// Packs what lies around a gap, the outermost first: each goes where those before it made room.
    static void pack(node& next, const opening& way, std::size_t gap, std::uint64_t capacity) {
        const auto relocate = [&](piece& one, std::uint64_t to) {
            if (to == one.offset) return;
            if (one.block != no_block) next.moves.push_back({one.block, to});
            one.offset = to;
        };
        std::vector<piece>& order = next.order;
        for (std::size_t i = way.low; i < gap; ++i)
            relocate(order[i], align_up(i == 0 ? 0 : end_of(order[i - 1]), order[i].alignment));
        for (std::size_t i = way.high; i-- > gap;) {
            const std::uint64_t end = i + 1 == order.size() ? capacity : order[i + 1].offset;
            relocate(order[i], align_down(end - order[i].size, order[i].alignment));
        }
        next.price += way.price;
    }

    [[nodiscard]] node child_of(std::size_t at) const {
        return {.order = nodes_[at].order, .placed = nodes_[at].placed, .price = nodes_[at].price, .before = at};
    }
    void add(node&& next) {
        if (next.placed < parts_.size() && !next.of_same_order) {
            const auto [known, is_new] = cheapest_.insert({key_of(next), next.price});
            if (!is_new && known->second <= next.price) return;
            known->second = next.price;
        } else if (next.placed == 1 && parts_.size() == 1) {
            limit_ = std::min(limit_, next.price);
        }
        queue_.push_back({next.price, nodes_.size()});
        std::push_heap(queue_.begin(), queue_.end(), dearer);
        nodes_.push_back(static_cast<node&&>(next));
    }

    void add_packed(std::size_t at) {
        node next = child_of(at);
        next.packed = true;
        std::uint64_t end = 0;
        for (piece& one : next.order) {
            if (one.block == no_block && one.movable) continue;  // a part
            const std::uint64_t to = one.movable ? align_up(end, one.alignment) : one.offset;
            if (to != one.offset) {
                next.moves.push_back({one.block, to});
                next.price += one.price;
            }
            end = to + one.size;
        }
        add(static_cast<node&&>(next));
    }

    void place_next(std::size_t at) {
        piece part = parts_[nodes_[at].placed];
        const std::size_t count = nodes_[at].order.size();
        for (std::size_t gap = 0; gap <= count; ++gap) {
            const std::vector<piece>& order = nodes_[at].order;
            const std::size_t bottom = count != 0 && order.front().anchored ? 1 : 0;
            if (part.anchored && gap != bottom) continue;
            const std::optional<opening> way = open(order, gap, part);
            if (!way) continue;
            node next = child_of(at);
            pack(next, *way, gap, capacity_);
            part.offset = way->room.offset;
            part.movable = !part.anchored;
            next.order.insert(next.order.begin() + static_cast<std::ptrdiff_t>(gap), part);
            ++next.placed;
            add(static_cast<node&&>(next));
        }
    }

    void move_each(std::size_t at) {
        const std::size_t count = nodes_[at].order.size();
        for (std::size_t from = 0; from < count; ++from) {
            if (!nodes_[at].order[from].movable || nodes_[at].price + nodes_[at].order[from].price >= limit_) continue;
            // Where the order between two walls does not matter, the cheapest gap between them is enough, and none
            // where the block already is, unless it is cheaper to jump than to be pushed.
            std::optional<opening> best;
            std::size_t best_gap = 0;
            bool here = false;
            for (std::size_t gap = 0; gap <= count; ++gap) {
                here = here || gap == from;
                if (gap != from && gap != from + 1) {  // where it is
                    const std::optional<opening> way = open(nodes_[at].order, gap, nodes_[at].order[from]);
                    if (way && (!best || way->price < best->price)) best = way, best_gap = gap;
                }
                const bool between_walls_still = gap != count && nodes_[at].order[gap].movable;
                if (!aligned_ && between_walls_still) continue;
                if (best && (aligned_ || !here || at == 0)) add_move(at, from, best_gap, *best, !aligned_ && here);
                best.reset();
                here = false;
            }
        }
    }
    void add_move(std::size_t at, std::size_t from, std::size_t gap, const opening& way, bool of_same_order) {
        if (nodes_[at].price + way.price + nodes_[at].order[from].price >= limit_) return;
        node next = child_of(at);
        pack(next, way, gap, capacity_);
        piece moved = next.order[from];
        // Away from where it was: what it leaves joins what else is free there.
        moved.offset = gap < from ? way.room.offset : align_down(way.room.end() - moved.size, moved.alignment);
        next.moves.push_back({moved.block, moved.offset});
        next.price += moved.price;
        next.of_same_order = of_same_order;
        next.order.erase(next.order.begin() + static_cast<std::ptrdiff_t>(from));
        next.order.insert(next.order.begin() + static_cast<std::ptrdiff_t>(gap > from ? gap - 1 : gap), moved);
        add(static_cast<node&&>(next));
    }

    std::uint64_t capacity_;
    std::vector<piece> parts_;
    bool aligned_ = false;                                             // something is, beyond the quantum
    std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();  // what is no cheaper is of no use
    std::vector<node> nodes_;
    std::vector<std::pair<std::uint64_t, std::size_t>> queue_;  // prices and nodes
    std::map<std::string, std::uint64_t> cheapest_;             // the least price of each order so far
};

}  // namespace hbm
