#include <hbm/index/range_node.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <map>

namespace hbm::test::range_node_tests {

using detail::range_node;

namespace {

/// Sizes and links by beginning.
template <class Quanta>
struct plain_entry {
    Quanta size;
    std::uint32_t link;
};
template <class Quanta>
using plain_node = std::map<Quanta, plain_entry<Quanta>>;

/// The slot of the entry that begins at `begin`, looked for in all of them; `none` if there is none.
template <class Quanta>
unsigned slot_of(const range_node<Quanta>& node, Quanta begin) {
    for (unsigned slot = 0; slot < node.slots; ++slot)
        if ((node.used >> slot & 1) != 0 && node.begins[slot] == begin) return slot;
    return node.none;
}

template <class Quanta>
[[nodiscard]] bool is_same(const range_node<Quanta>& node, const plain_node<Quanta>& plain) {
    if (node.count != plain.size()) return false;
    auto at = plain.begin();
    Quanta largest = 0;
    for (unsigned slot = 0; slot < node.slots; ++slot) {
        if (slot != 0 && node.begins[slot - 1] > node.begins[slot]) return false;
        if ((node.used >> slot & 1) == 0) {
            if (node.sizes[slot] != 0) return false;
            continue;
        }
        if (at == plain.end()) return false;
        const auto entry = node.at(slot);
        if (entry.begin != at->first || entry.size != at->second.size || entry.link != at->second.link) return false;
        if (!(node.range(slot) == basic_extent<Quanta>{at->first, at->second.size})) return false;
        // The neighbours, by the order of the plain entries.
        const auto slot_at = [&](auto other) { return slot_of(node, other->first); };
        if (node.after(slot) != (std::next(at) == plain.end() ? node.none : slot_at(std::next(at)))) return false;
        if (node.before(slot) != (at == plain.begin() ? node.none : slot_at(std::prev(at)))) return false;
        if (entry.size > largest) largest = entry.size;
        ++at;
    }
    return at == plain.end() && node.largest() == largest;
}

template <class Quanta>
[[nodiscard]] bool finds_same(const range_node<Quanta>& node, const plain_node<Quanta>& plain, Quanta offset,
                              Quanta length) {
    const auto above = plain.upper_bound(offset);
    if (above != plain.begin() && node.child_at(offset) != slot_of(node, std::prev(above)->first)) return false;
    if (plain.count(offset) != 0 && node.slots_up_to(offset) - 1 != slot_of(node, offset)) return false;
    const std::uint32_t found = node.long_enough(length);
    for (unsigned slot = 0; slot < node.slots; ++slot) {
        const bool fits = (node.used >> slot & 1) != 0 && plain.at(node.begins[slot]).size >= length;
        if ((found >> slot & 1) != fits) return false;
    }
    return true;
}

/// How many entries have to move, at least, so that one that begins at `begin` can stand between its neighbours.
template <class Quanta>
unsigned fewest_moves(const range_node<Quanta>& node, Quanta begin) {
    unsigned fewest = node.slots;
    for (unsigned gap = 0; gap < node.slots; ++gap) {
        if ((node.used >> gap & 1) != 0) continue;
        unsigned between = 0;
        for (unsigned slot = 0; slot < node.slots; ++slot)
            if ((node.used >> slot & 1) != 0 && (slot < gap) != (node.begins[slot] < begin)) ++between;
        if (between < fewest) fewest = between;
    }
    return fewest;
}
/// How many entries of `before` stand elsewhere in `after`.
template <class Quanta>
unsigned moved(const range_node<Quanta>& before, const range_node<Quanta>& after) {
    unsigned count = 0;
    for (unsigned slot = 0; slot < before.slots; ++slot)
        if ((before.used >> slot & 1) != 0 && slot_of(after, before.begins[slot]) != slot) ++count;
    return count;
}

/// Lets a node fill up and run empty again, at offsets that are a multiple of `unit`.
template <class Quanta>
void expect_as_a_plain_map(Quanta unit, std::uint64_t seed) {
    testing::random_numbers random(seed);
    range_node<Quanta> node;
    plain_node<Quanta> plain;
    REQUIRE(is_same(node, plain));
    for (int step = 0; step < 600; ++step) {
        const bool filling = step / 100 % 2 == 0;
        const auto begin = static_cast<Quanta>(random.below(100) * unit);
        const bool there = plain.count(begin) != 0;
        if (there && random.below(4) >= (filling ? 3 : 1)) {
            node.erase(slot_of(node, begin));
            plain.erase(begin);
        } else if (there) {
            const auto size = static_cast<Quanta>(1 + random.below(30));
            node.sizes[slot_of(node, begin)] = size;
            plain.at(begin).size = size;
        } else if (node.count < node.slots && (filling || random.once_in(4))) {
            const plain_entry<Quanta> added{static_cast<Quanta>(1 + random.below(30)),
                                            static_cast<std::uint32_t>(random.next())};
            const range_node<Quanta> before = node;
            node.put({begin, added.size, added.link});
            plain.emplace(begin, added);
            REQUIRE(moved(before, node) == fewest_moves(before, begin));
        }
        REQUIRE(is_same(node, plain));
        REQUIRE(finds_same(node, plain, static_cast<Quanta>(random.below(102) * unit),
                           static_cast<Quanta>(random.below(32))));
    }
}

}  // namespace

TEST_CASE("a node of ranges finds and keeps its entries as a plain map does") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        expect_as_a_plain_map<std::uint32_t>(1, seed);
        expect_as_a_plain_map<std::uint32_t>(42'000'000, seed);  // up to 4,242,000,000, close to 2^32
        expect_as_a_plain_map<std::uint64_t>(std::uint64_t{1} << 57, seed);
    }
}

TEST_CASE("a full node holds 32 entries, put in whatever order") {
    using node_type = range_node<std::uint32_t>;
    for (const std::uint32_t step : {1u, 31u, 5u, 17u}) {  // odd: each number below 32 once
        node_type node;
        plain_node<std::uint32_t> plain;
        for (std::uint32_t i = 0; i < 32; ++i) {
            const std::uint32_t begin = i * step % 32 * 10;
            node.put({begin, 1 + i, i});
            plain.emplace(begin, plain_entry<std::uint32_t>{1 + i, i});
        }
        CHECK(node.used == ~std::uint32_t{0});
        REQUIRE(is_same(node, plain));
        node.erase(7);
        plain.erase(70);
        REQUIRE(is_same(node, plain));
        node.put({305, 9, 9});  // in the last but one place: all between it and the gap move
        plain.emplace(305u, plain_entry<std::uint32_t>{9, 9});
        REQUIRE(is_same(node, plain));
    }
}

TEST_CASE("the entries of two nodes are handed out anew, with gaps between them") {
    using node_type = range_node<std::uint32_t>;
    for (unsigned total = 1; total <= 64; ++total) {
        CAPTURE(total);
        node_type low;
        node_type high;
        for (unsigned i = 0; i < total; ++i) (i < total / 2 ? low : high).put({i * 3, i + 1, i + 100});
        node_type::entries all;
        all.add(low);
        all.add(high);
        REQUIRE(all.count == total);
        for (unsigned first = 0; first <= total; first += 1 + total / 8) {
            for (unsigned last = first; last <= total && last - first <= 32; ++last) {
                node_type node = low;  // what was there is forgotten
                node.assign(all, first, last);
                plain_node<std::uint32_t> plain;
                for (unsigned i = first; i < last; ++i)
                    plain.emplace(i * 3, plain_entry<std::uint32_t>{i + 1, i + 100});
                REQUIRE(is_same(node, plain));
                // Spread evenly over all slots: the steps from entry to entry differ by one at most.
                unsigned shortest = node.slots;
                unsigned longest = 0;
                for (unsigned slot = 0; last > first && slot != node.none; slot = node.after(slot)) {
                    const unsigned step = node.after(slot) - slot;
                    if (step < shortest) shortest = step;
                    if (step > longest) longest = step;
                }
                if (last > first) REQUIRE(longest <= shortest + 1);
                if (last > first && last - first < 32) {
                    node.put({first * 3 + 1, 5, 5});
                    plain.emplace(first * 3 + 1, plain_entry<std::uint32_t>{5, 5});
                    REQUIRE(is_same(node, plain));
                }
            }
        }
    }
}

}  // namespace hbm::test::range_node_tests
