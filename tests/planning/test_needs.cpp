// Needs in holes: against all ways to place them, and against the plain rules by which more needs are packed.
#include <hbm/planning/needs.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <optional>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::need_packing_tests {

namespace {

using testing::random_numbers;

using needs_list = trivial_vector<layout_need>;
using holes_list = trivial_vector<range_of_quanta>;
using places_list = trivial_vector<std::uint64_t>;
using packer = need_packer;

constexpr std::uint64_t largest = ~std::uint64_t{0};

/// Holes by offset that do not touch, in at most 63 quanta; the first may be empty.
holes_list random_holes(random_numbers& random, std::uint64_t most, std::uint64_t longest) {
    holes_list holes;
    std::uint64_t end = random.below(4);
    if (random.once_in(4)) holes.push_back({end, end});
    for (std::uint64_t left = random.up_to(most); left > 0; --left) {
        const std::uint64_t low = end + 1 + random.below(4);
        end = low + 1 + random.below(longest);
        if (end > 63) break;
        holes.push_back({low, end});
    }
    return holes;
}
needs_list random_needs(random_numbers& random, std::uint64_t count, std::uint64_t longest) {
    needs_list needs;
    for (; count > 0; --count)
        needs.push_back({1 + random.below(longest), random.once_in(2) ? std::uint64_t{1} << random.below(4) : 1});
    return needs;
}

/// Bits of the quanta from `low` up to `high`.
std::uint64_t bits(std::uint64_t low, std::uint64_t high) {
    std::uint64_t set = 0;
    for (std::uint64_t at = low; at < high; ++at) set |= std::uint64_t{1} << at;
    return set;
}
std::uint64_t free_bits(const holes_list& holes) {
    std::uint64_t free = 0;
    for (const range_of_quanta& hole : holes) free |= bits(hole.low, hole.high);
    return free;
}

/// Tries every offset for every need.
bool all_fit(const needs_list& needs, std::size_t first, std::uint64_t free) {
    if (first == needs.size()) return true;
    const layout_need& need = needs[first];
    for (std::uint64_t at = 0; at + need.length <= 64; at += need.alignment) {
        const std::uint64_t place = bits(at, at + need.length);
        if ((free & place) == place && all_fit(needs, first + 1, free & ~place)) return true;
    }
    return false;
}

/// Null, or what is wrong with the places.
const char* broken_place(const holes_list& holes, const needs_list& needs, const places_list& places) {
    if (places.size() != needs.size()) return "a place is missing";
    std::uint64_t free = free_bits(holes);
    for (std::size_t at = 0; at < needs.size(); ++at) {
        if (places[at] % needs[at].alignment != 0) return "a place is not aligned";
        if (places[at] > 63 || places[at] + needs[at].length > 64) return "a place is in no hole";
        const std::uint64_t place = bits(places[at], places[at] + needs[at].length);
        if ((free & place) != place) return "a place is not free";
        free &= ~place;
    }
    return nullptr;
}

/// One need after another into the smallest run of free quanta that takes it: of equal ones the lowest, to its low end;
/// or, from the top, the highest, to its high end, and where the first hole was only if nothing else takes it.
std::optional<places_list> by_the_rule(const holes_list& holes, const needs_list& needs,
                                       const std::vector<std::size_t>& order, bool from_top) {
    std::uint64_t free = free_bits(holes);
    places_list places(needs.size(), 0);
    for (const std::size_t which : order) {
        const layout_need& need = needs[which];
        std::uint64_t best_size = largest;
        std::uint64_t best_place = largest;
        for (const bool last_resort : {false, true}) {
            if (best_place != largest) break;
            for (std::uint64_t low = 0; low < 64; ++low) {
                if ((free >> low & 1) == 0 || (low > 0 && (free >> (low - 1) & 1) != 0)) continue;
                std::uint64_t high = low;
                while (high < 64 && (free >> high & 1) != 0) ++high;
                const bool reserved =
                    from_top && !holes.empty() && holes[0].low <= low && low < holes[0].high && holes[0].low == low;
                if (reserved != last_resort) continue;
                std::uint64_t place = largest;
                for (std::uint64_t at = 0; at + need.length <= high; at += need.alignment)
                    if (at >= low && (place == largest || from_top)) place = at;
                if (place == largest) continue;
                if (high - low > best_size || (high - low == best_size && !from_top)) continue;
                best_size = high - low;
                best_place = place;
            }
        }
        if (best_place == largest) return std::nullopt;
        places[which] = best_place;
        free &= ~bits(best_place, best_place + need.length);
    }
    return places;
}

std::vector<std::size_t> as_given(const needs_list& needs) {
    std::vector<std::size_t> order(needs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}
/// Of needs that are alike the first as given comes first.
template <class Before>
std::vector<std::size_t> sorted(const needs_list& needs, Before before) {
    std::vector<std::size_t> order = as_given(needs);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (before(needs[a], needs[b])) return true;
        return !before(needs[b], needs[a]) && a < b;
    });
    return order;
}
std::vector<std::size_t> longest_first(const needs_list& needs) {
    return sorted(needs, [](const layout_need& a, const layout_need& b) { return a.length > b.length; });
}
std::vector<std::size_t> strictest_first(const needs_list& needs) {
    return sorted(needs, [](const layout_need& a, const layout_need& b) {
        return a.alignment != b.alignment ? a.alignment > b.alignment : a.length > b.length;
    });
}

}  // namespace

TEST_CASE("few needs are placed exactly where some way to place them exists") {
    std::uint64_t placed = 0;
    std::uint64_t one_by_one_fails = 0;
    std::uint64_t refused = 0;
    for_each_seed(20'000, [&](testing::outcome& found, random_numbers& random) {
        const holes_list holes = random_holes(random, 4, 8);
        const needs_list needs = random_needs(random, random.up_to(max_needs_packed_exactly), 5);
        const bool from_top = random.once_in(2);
        const auto places = packer(holes, needs, from_top).places();
        const bool expected = all_fit(needs, 0, free_bits(holes));
        if (places.has_value() != expected) found.broken = "room is missed or invented";
        if (places && found.ok()) found.broken = broken_place(holes, needs, *places);
        placed += expected;
        refused += !expected && !needs.empty();
        one_by_one_fails += expected && !by_the_rule(holes, needs, as_given(needs), from_top) &&
                            !by_the_rule(holes, needs, longest_first(needs), from_top);
    });
    if (!tries_all_seeds()) return;
    CHECK(placed > 4000);
    CHECK(refused > 4000);
    CHECK(one_by_one_fails > 20);
}

TEST_CASE("each need goes into the smallest hole that takes it, in the order given, and else the longest first") {
    std::uint64_t given = 0;
    std::uint64_t sorted = 0;
    for_each_seed(10'000, [&](testing::outcome& found, random_numbers& random) {
        const holes_list holes = random_holes(random, 6, 9);
        const needs_list needs = random_needs(random, 1 + random.below(9), 4);
        const bool from_top = random.once_in(2);
        const auto places = packer(holes, needs, from_top).places();
        if (const auto first = by_the_rule(holes, needs, as_given(needs), from_top)) {
            ++given;
            if (places != first) found.broken = "not where the order given leads";
        } else if (const auto second = by_the_rule(holes, needs, longest_first(needs), from_top)) {
            ++sorted;
            if (places != second) found.broken = "not where the longest first leads";
        }
    });
    if (!tries_all_seeds()) return;
    CHECK(given > 2000);
    CHECK(sorted > 100);
}

TEST_CASE("more needs are placed where they may be, and wherever one after another they find room") {
    std::uint64_t placed = 0;
    for_each_seed(20'000, [&](testing::outcome& found, random_numbers& random) {
        const holes_list holes = random_holes(random, 5, 10);
        const needs_list needs = random_needs(random, max_needs_packed_exactly + 1 + random.below(4), 4);
        const bool from_top = random.once_in(2);
        const auto places = packer(holes, needs, from_top).places();
        if (places) {
            ++placed;
            found.broken = broken_place(holes, needs, *places);
            return;
        }
        if (by_the_rule(holes, needs, as_given(needs), from_top) ||
            by_the_rule(holes, needs, longest_first(needs), from_top) ||
            by_the_rule(holes, needs, strictest_first(needs), from_top))
            found.broken = "one after another they find room";
    });
    if (!tries_all_seeds()) return;
    CHECK(placed > 500);
}

TEST_CASE("the largest numbers do not wrap around in holes") {
    const holes_list all{{0, largest}};
    CHECK(packer(all, {{largest}}, false).places() == places_list{0});
    CHECK(packer(all, {{largest}}, true).places() == places_list{0});
    CHECK_FALSE(packer(all, {{largest}, {1}}, false).places());
    CHECK_FALSE(packer(all, {{largest}, {largest}, {2}}, true).places());
    const holes_list top{{largest - 4, largest}};
    CHECK(packer(top, {{4}}, false).places() == places_list{largest - 4});
    CHECK_FALSE(packer(top, {{1, std::uint64_t{1} << 63}}, false).places());
    CHECK_FALSE(packer(top, {{1, std::uint64_t{1} << 63}}, true).places());
    CHECK_FALSE(packer(top, {{5}}, false).places());
}

TEST_CASE("a range holds a need where some multiple of its alignment has room") {
    for (std::uint64_t low = 0; low < 20; ++low)
        for (std::uint64_t high = low; high < 24; ++high)
            for (std::uint64_t length = 1; length < 7; ++length)
                for (const std::uint64_t alignment : {1u, 2u, 4u, 8u, 16u}) {
                    bool some = false;
                    for (std::uint64_t at = 0; at < 24; at += alignment) some |= at >= low && at + length <= high;
                    REQUIRE(range_of_quanta{low, high}.holds({length, alignment}) == some);
                }
    CHECK_FALSE(range_of_quanta{largest - 1, largest}.holds({1, 4}));
    CHECK(range_of_quanta{largest - 3, largest}.holds({3, 4}));
    CHECK_FALSE(range_of_quanta{largest - 3, largest}.holds({4, 4}));
}

TEST_CASE("the hardest needs are those that no other covers, each once, the strictest first") {
    CHECK(hardest_of(needs_list{}) == needs_list{});
    CHECK(hardest_of(needs_list{{3, 2}}) == needs_list{{3, 2}});
    CHECK(hardest_of(needs_list{{3, 1}, {2, 4}, {3, 2}, {1, 8}, {3, 1}}) == needs_list{{1, 8}, {2, 4}, {3, 2}});
    CHECK(hardest_of(needs_list{{5, std::uint64_t{1} << 63}, {6, 1}, {5, 1}}) ==
          needs_list{{5, std::uint64_t{1} << 63}, {6, 1}});
    for_each_seed(2000, [](testing::outcome& found, random_numbers& random) {
        const needs_list needs = random_needs(random, 2 + random.below(8), 5);
        std::vector<layout_need> expected;
        for (const layout_need& need : needs) {
            const bool covered = std::any_of(needs.begin(), needs.end(), [&](const layout_need& other) {
                return !(other == need) && other.length >= need.length && other.alignment >= need.alignment;
            });
            if (!covered && std::find(expected.begin(), expected.end(), need) == expected.end())
                expected.push_back(need);
        }
        std::sort(expected.begin(), expected.end(),
                  [](const layout_need& a, const layout_need& b) { return a.alignment > b.alignment; });
        const needs_list hardest = hardest_of(needs);
        if (!std::equal(hardest.begin(), hardest.end(), expected.begin(), expected.end()))
            found.broken = "other needs are the hardest";
    });
}

TEST_CASE("needs are sorted by length or by alignment, and then by the other") {
    needs_list needs{{2, 4}, {3, 1}, {2, 8}, {5, 1}, {3, 2}};
    sort_needs(needs, false);
    CHECK(needs == needs_list{{5, 1}, {3, 2}, {3, 1}, {2, 8}, {2, 4}});
    sort_needs(needs, true);
    CHECK(needs == needs_list{{2, 8}, {2, 4}, {3, 2}, {5, 1}, {3, 1}});
}

TEST_CASE("one run takes all needs, the strictest alignment first, wherever it is aligned itself") {
    CHECK(all_in_one(needs_list{}) == layout_need{0, 1});
    CHECK(all_in_one(needs_list{{3, 1}, {2, 4}, {1, 2}}) == layout_need{6, 4});
    CHECK(all_in_one(needs_list{{3, 4}, {3, 4}}) == layout_need{7, 4});
    CHECK(all_in_one(needs_list{{3, 2}, {1, 4}}) == layout_need{5, 4});
    CHECK(all_in_one(needs_list{{largest, 1}, {1, 1}}).length == largest);
    CHECK(all_in_one(needs_list{{largest, 2}, {1, 2}}).length == largest);
    for_each_seed(2000, [](testing::outcome& found, random_numbers& random) {
        const needs_list needs = random_needs(random, 1 + random.below(4), 4);
        const layout_need all = all_in_one(needs);
        std::uint64_t sum = 0;
        for (const layout_need& need : needs) {
            sum += need.length;
            if (need.alignment > all.alignment) found.broken = "the run is aligned less than a need";
        }
        if (all.length < sum) found.broken = "the run is shorter than the needs";
        const std::uint64_t at = random.below(3) * all.alignment;
        if (!all_fit(needs, 0, bits(at, at + all.length))) found.broken = "the run does not take them";
    });
}

}  // namespace hbm::test::need_packing_tests
