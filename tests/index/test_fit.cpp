// Placements made of an index and a way to split, against a memory that is a list of quanta and their owners.
#include <hbm/index/fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <vector>

namespace hbm::test::fit_tests {

namespace {

using testing::random_numbers;
using quanta = std::uint32_t;
using range = basic_extent<quanta>;

/// Keeps nothing: the first hole from either end.
struct looking_index {
    using quanta = std::uint32_t;

    [[nodiscard]] block_index find(const block_map<quanta>& map, const need<quanta>& asked) const {
        const bool up = asked.from == end::low;
        for (block_index at = up ? map.first() : map.last(); at != no_block; at = up ? map.next(at) : map.previous(at))
            if (map.is_hole(at) && asked.admits(map.range(at))) return at;
        return no_block;
    }
};

/// The same, and notes whether it is told of each hole once when it comes and once before it goes. From the high end it
/// is not told of the far hole.
template <end From>
struct noting_index : looking_index {
    static constexpr end search_end = From;
    static constexpr bool leaves_out_far_hole = From == end::high;
    std::map<block_index, range> holes;
    quanta capacity = 0;
    bool good = true;

    noting_index() = default;
    explicit noting_index(quanta size) : capacity(size) {}

    void insert(const block_map<quanta>& map, block_index hole) {
        good = good && map.size(hole) != 0 && map.capacity() == capacity && !is_left_out(map, hole);
        good = holes.emplace(hole, map.range(hole)).second && good;
    }
    void insert(const block_map<quanta>& map, block_index hole, quanta size, quanta offset) {
        insert(map, hole);
        good = good && map.range(hole) == range{offset, size};
    }
    void erase(const block_map<quanta>& map, block_index hole) {
        const auto found = holes.find(hole);
        good = good && found != holes.end() && found->second == map.range(hole);
        if (found != holes.end()) holes.erase(found);
    }
    /// The shortest hole that is long enough, of equals the lowest: not the one that `find` would say.
    [[nodiscard]] block_index take(const block_map<quanta>& map, quanta length) {
        block_index best = no_block;
        for (block_index at = map.first(); at != no_block; at = map.next(at))
            if (map.is_hole(at) && map.size(at) >= length && (best == no_block || map.size(at) < map.size(best)))
                best = at;
        if (best != no_block && !is_left_out(map, best)) erase(map, best);
        return best;
    }
    /// No answer if this is not told of just the holes that there are.
    [[nodiscard]] quanta largest(const block_map<quanta>& map) const {
        quanta most = 0;
        std::size_t seen = 0;
        bool same = good;
        for (block_index at = map.first(); at != no_block; at = map.next(at)) {
            if (!map.is_hole(at)) continue;
            if (map.size(at) > most) most = map.size(at);
            if (is_left_out(map, at)) continue;
            const auto found = holes.find(at);
            same = same && found != holes.end() && found->second == map.range(at);
            ++seen;
        }
        return same && seen == holes.size() ? most : no_answer;
    }
    static constexpr quanta no_answer = ~quanta{0};

private:
    [[nodiscard]] static bool is_left_out(const block_map<quanta>& map, block_index hole) {
        return From == end::high && hole == map.far_hole;
    }
};
static_assert(hole_index<looking_index> && !tracks_holes<looking_index>);
static_assert(takes_holes<noting_index<end::low>> && knows_largest_hole<noting_index<end::low>>);

/// All but what would be less than three quanta, which it takes as well.
struct split_off_three {
    static constexpr bool is_exact = false;
    template <class Quanta>
    [[nodiscard]] static constexpr Quanta taken(Quanta length, Quanta available) noexcept {
        return available - length < 3 ? available : length;
    }
};

/// A memory as a list of quanta. 0 owns what is free.
class plain_memory {
public:
    explicit plain_memory(std::size_t capacity) : owners_(capacity) {}

    void extend(std::size_t capacity) { owners_.resize(capacity); }
    [[nodiscard]] std::vector<range> holes() const {
        std::vector<range> found;
        for (std::size_t at = 0; at < owners_.size(); ++at) {
            if (owners_[at] != 0) continue;
            if (at == 0 || owners_[at - 1] != 0) found.push_back({static_cast<quanta>(at), 0});
            ++found.back().size;
        }
        return found;
    }
    [[nodiscard]] bool is_free(range where, std::uint64_t except = 0) const {
        for (std::size_t at = where.offset; at < std::size_t{where.offset} + where.size; ++at)
            if (at >= owners_.size() || (owners_[at] != 0 && owners_[at] != except)) return false;
        return true;
    }
    void put(range where, std::uint64_t owner) {
        for (std::size_t at = where.offset; at < std::size_t{where.offset} + where.size; ++at) owners_[at] = owner;
    }

private:
    std::vector<std::uint64_t> owners_;
};

/// Where a block goes in a hole: the lowest or highest offset that is aligned. Tried one by one.
std::optional<quanta> offset_within(range hole, const need<quanta>& asked) {
    std::optional<quanta> found;
    for (quanta at = hole.offset; at <= hole.end() && hole.end() - at >= asked.length; ++at) {
        if (at % asked.alignment != 0) continue;
        if (!found || asked.at == end::high) found = at;
    }
    return hole.offset < asked.avoid_below ? std::nullopt : found;
}

/// Which range a placement takes: the hole by its index's rule, the part of it by its way to split.
template <class Placement, class Split>
std::optional<range> expected_range(const plain_memory& memory, const need<quanta>& asked, bool takes_shortest) {
    std::optional<range> hole;
    for (const range& each : memory.holes()) {
        if (!offset_within(each, asked)) continue;
        if (!hole || (takes_shortest ? each.size < hole->size : asked.from == end::high)) hole = each;
    }
    if (!hole) return std::nullopt;
    need<quanta> lowest = asked;
    lowest.at = end::low;
    need<quanta> given = asked;
    given.length = Split::taken(asked.length, static_cast<quanta>(hole->end() - *offset_within(*hole, lowest)));
    const quanta offset = *offset_within(*hole, given);
    return range{offset, given.length};
}

struct known {
    block_index block;
    range where;
    quanta granted;
    quanta alignment;
    std::uint64_t owner;
};

/// Random operations on both; `Other` is an index to go on with.
template <class Index, class Split, class Other>
void expect_as_the_list(std::uint64_t seed) {
    using placement_type = fit<Index, Split>;
    random_numbers random(seed);
    auto capacity = static_cast<quanta>(random.below(60));
    placement_type memory(capacity);
    plain_memory plain(capacity);
    std::vector<known> live;
    std::uint64_t owners = 0;
    const auto any = [&] { return static_cast<std::size_t>(random.below(live.size())); };
    for (int step = 0; step < 150; ++step) {
        CAPTURE(step);
        const placement_type before = memory;
        switch (live.empty() ? random.below(3) : random.below(12)) {
        case 0: {  // longer at the top, or not
            const auto more = static_cast<quanta>(random.below(6));
            const bool can = more != 0 && random.once_in(2);
            REQUIRE(memory.extend(can ? capacity + more : capacity - capacity / 3) == can);
            if (can) plain.extend(capacity = static_cast<quanta>(capacity + more));
            break;
        }
        case 1: {  // in a given range
            const range where{static_cast<quanta>(random.below(capacity + 2)),
                              static_cast<quanta>(1 + random.below(6))};
            const bool free = plain.is_free(where);
            const block_index block = memory.occupy(where);
            REQUIRE((block != no_block) == free);
            if (free) live.push_back({block, where, where.size, 1, ++owners});
            if (free) plain.put(where, owners);
            break;
        }
        case 2:
        case 3:
        case 4:
        case 5: {
            need<quanta> asked{.length = static_cast<quanta>(1 + random.below(9))};
            if (random.once_in(3)) asked.alignment = static_cast<quanta>(1u << random.below(4));
            if (random.once_in(3)) asked.from = end::high;
            if (random.once_in(3)) asked.at = end::high;
            if (random.once_in(4)) asked.avoid_below = static_cast<quanta>(random.below(capacity + 1));
            bool takes = false;
            if constexpr (takes_holes<Index>)
                takes = asked.alignment == 1 && asked.avoid_below == 0 && asked.from == Index::search_end &&
                        asked.at == Index::search_end;
            const std::optional<range> expected = expected_range<placement_type, Split>(plain, asked, takes);
            const block_index block = memory.place(asked);
            REQUIRE((block != no_block) == expected.has_value());
            if (!expected) {
                REQUIRE(memory == before);
                break;
            }
            live.push_back({block, *expected, asked.length, asked.alignment, ++owners});
            plain.put(*expected, owners);
            break;
        }
        case 6: {  // shorter, as far as that would be split off
            known& cut = live[any()];
            const auto granted = static_cast<quanta>(1 + random.below(cut.granted));
            const quanta kept = Split::taken(granted, cut.where.size);
            memory.shrink(cut.block, granted);
            if (kept == cut.where.size) {
                REQUIRE(memory == before);
                break;
            }
            plain.put(cut.where, 0);
            cut.where.size = kept;
            cut.granted = granted;
            plain.put(cut.where, cut.owner);
            break;
        }
        case 7: {  // elsewhere
            known& moved = live[any()];
            const range to{static_cast<quanta>(random.below(capacity + 1)), moved.where.size};
            const bool can = to.offset % moved.alignment == 0 && plain.is_free(to, moved.owner);
            REQUIRE(memory.relocate(moved.block, to.offset) == can);
            if (!can) break;
            plain.put(moved.where, 0);
            plain.put(moved.where = to, moved.owner);
            break;
        }
        case 8: {  // over another range
            known& stretched = live[any()];
            const range to{static_cast<quanta>(random.below(capacity + 1)),
                           static_cast<quanta>(random.below(stretched.where.size + 4u))};
            const bool can = to.size >= stretched.granted && plain.is_free(to, stretched.owner);
            REQUIRE(memory.stretch(stretched.block, to) == can);
            if (!can) break;
            plain.put(stretched.where, 0);
            plain.put(stretched.where = to, stretched.owner);
            break;
        }
        case 9:  // under another index
            if (random.once_in(4)) {
                const fit<Other, Split> other(memory);
                REQUIRE(other.map() == memory.map());
                memory = placement_type(other);
            }
            break;
        default: {
            const std::size_t gone = any();
            memory.release(live[gone].block);
            plain.put(live[gone].where, 0);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(gone));
        }
        }
        quanta granted = 0;
        bool same = true;
        for (const known& each : live) {
            same = same && memory.map().range(each.block) == each.where &&
                   memory.map().granted(each.block) == each.granted &&
                   memory.map().alignment(each.block) == each.alignment;
            granted += each.granted;
        }
        REQUIRE(same);
        quanta free = 0;
        quanta largest = 0;
        for (const range& hole : plain.holes()) {
            free += hole.size;
            if (hole.size > largest) largest = hole.size;
        }
        REQUIRE(memory.map().free() == free);
        REQUIRE(memory.map().live() == granted);
        REQUIRE(memory.largest_free() == largest);  // of a noting index: and it knows all holes
    }
}

}  // namespace

static_assert(!fit<looking_index>::may_give_more && fit<looking_index, split_off_three>::may_give_more);

TEST_CASE("blocks are where a plain list of quanta says, and the index is told of each hole") {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        CAPTURE(seed);
        using low = noting_index<end::low>;
        using high = noting_index<end::high>;
        expect_as_the_list<looking_index, split_exactly, low>(seed);
        expect_as_the_list<low, split_exactly, looking_index>(seed);
        expect_as_the_list<high, split_exactly, low>(seed);
        expect_as_the_list<looking_index, split_off_three, high>(seed);
        expect_as_the_list<low, split_off_three, high>(seed);
    }
}

TEST_CASE("a reservation that comes or goes is told to the index, which keeps the hole above it apart") {
    using placement_type = fit<noting_index<end::high>>;
    placement_type memory(20);
    const block_index low = memory.occupy({0, 4});
    const block_index high = memory.occupy({10, 4});
    CHECK(memory.largest_free() == 6);
    memory.set_reservation(low);
    CHECK(memory.largest_free() == 6);
    memory.release(high);
    CHECK(memory.largest_free() == 16);
    memory.set_reservation(block_map<quanta>::bottom);
    CHECK(memory.largest_free() == 16);
    memory.release(low);
    CHECK(memory.largest_free() == 20);
}

TEST_CASE("memory becomes no longer than it is, nor longer than its width can count") {
    fit<looking_index> memory(10);
    const auto before = memory;
    CHECK_FALSE(memory.extend(10));
    CHECK_FALSE(memory.extend(9));
    CHECK_FALSE(memory.extend(std::uint64_t{std::numeric_limits<quanta>::max()} + 11));
    CHECK(memory == before);
    CHECK(memory.extend(std::numeric_limits<quanta>::max()));
    CHECK(memory.largest_free() == std::numeric_limits<quanta>::max());
}

TEST_CASE("a block takes the rest of its hole where as much again would not be left") {
    constexpr std::uint32_t most = 1u << 19;
    const auto taken = [](std::uint32_t length, std::uint32_t available) {
        return split_when_worthwhile::taken(length, available);
    };
    CHECK(taken(5, 5) == 5);
    CHECK(taken(5, 9) == 9);
    CHECK(taken(5, 10) == 5);
    CHECK(taken(most, 2 * most) == most);
    CHECK(taken(most + 1, 2 * most) == 2 * most);
    CHECK(taken(most + 1, 2 * most + 1) == most + 1);  // nobody wastes so much
    CHECK(taken(most - 1, 2 * most - 3) == 2 * most - 3);
    const std::uint64_t wide = std::uint64_t{1} << 40;
    CHECK(split_when_worthwhile::taken(wide, wide + most) == wide);
    CHECK(split_when_worthwhile::taken(wide, wide + most - 1) == wide + most - 1);
    CHECK(split_exactly::taken(5u, 9u) == 5);
    CHECK(split_exactly::taken(wide, 2 * wide) == wide);
}

}  // namespace hbm::test::fit_tests
