// Which end of its hole a block takes: by hand, and against the rule written down once more over plain ranges.
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/free_together.hpp>
#include <hbm/placement/lifetimes_apart.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string_view>
#include <support/managers.hpp>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::free_together_tests {
namespace {

using together = free_together<best_fit>;

static_assert(placement<together> && placement<free_together<basic_best_fit<std::uint64_t>>>);
static_assert(takes_either_end<together> && takes_either_end<bottom_reserve<together>> && takes_either_end<bfc>);
static_assert(!takes_either_end<buddy>);
static_assert(imports<together> && relocates<together> && stretches<together> && shrinks<together> &&
              extends<together>);
static_assert(sizeof(together) == sizeof(best_fit));
static_assert(std::string_view(bottom_reserve<compacting<together>>::name.c_str()) ==
              "bottom_reserve<compacting<free_together<best_fit>>>");

template <placement P>
constexpr std::uint32_t offset_of(P& memory, std::uint32_t length) {
    const block_index block = memory.place({.length = length});
    return block == no_block ? no_index : memory.map().offset(block);
}

/// A memory of 40 in which these ranges are live.
constexpr together with(std::initializer_list<basic_extent<std::uint32_t>> live) {
    together memory(40);
    for (const basic_extent<std::uint32_t>& range : live) memory.occupy(range);
    return memory;
}

constexpr bool takes_the_end_beside_less_free_memory() {
    together left = with({{0, 1}, {4, 4}, {18, 4}, {28, 12}});   // 3 free below, 6 above: the low end
    together right = with({{0, 1}, {8, 4}, {22, 4}, {28, 12}});  // 7 below, 2 above: the high end
    return offset_of(left, 8) == 8 && offset_of(right, 8) == 14;
}
static_assert(takes_the_end_beside_less_free_memory());

constexpr bool takes_the_ends_of_memory() {
    together empty(40);
    together low = with({{10, 25}});  // 10 free at the bottom, 5 at the top
    together endless(best_fit::unlimited);
    return offset_of(empty, 4) == 0 && offset_of(empty, 4) == 36 && offset_of(low, 3) == 37 && offset_of(low, 8) == 0 &&
           offset_of(endless, 4) == 0 && offset_of(endless, 4) == 4;
}
static_assert(takes_the_ends_of_memory());

/// In a memory without limit the second block lies just above the first, for each width and quantum.
template <class Quanta>
constexpr bool grows_from_the_bottom(std::uint64_t quantum) {
    using endless = manager<free_together<basic_best_fit<Quanta>>>;
    endless memory{endless::unlimited(quantum)};
    const result<buffer> first = memory.allocate(3 * quantum);
    const result<buffer> second = memory.allocate(2 * quantum);
    return first && second && memory.where(*first).offset == 0 && memory.where(*second).offset == 3 * quantum;
}
static_assert(grows_from_the_bottom<std::uint32_t>(1) && grows_from_the_bottom<std::uint32_t>(512) &&
              grows_from_the_bottom<std::uint64_t>(1) && grows_from_the_bottom<std::uint64_t>(512) &&
              grows_from_the_bottom<std::uint64_t>(std::uint64_t{1} << 20));

constexpr bool keeps_out_of_the_reservations_way() {
    bottom_reserve<together> inner(40);
    free_together<bottom_reserve<best_fit>> outer(40);
    if (!inner.reserve(4) || !outer.reserve(4)) return false;
    return offset_of(inner, 4) == 36 && offset_of(outer, 4) == 36 && offset_of(inner, 4) == 32 &&
           offset_of(outer, 4) == 32;
}
static_assert(keeps_out_of_the_reservations_way());

constexpr bool leaves_settled_ends_alone() {
    free_together<lifetimes_apart<best_fit>> outer(10);
    lifetimes_apart<free_together<best_fit>> inner(10);
    const auto brief = [](auto& memory) {
        return memory.map().offset(memory.place({.length = 2, .expected = lifetime::brief}));
    };
    return offset_of(outer, 2) == 8 && offset_of(inner, 2) == 8 && brief(outer) == 0 && brief(inner) == 0;
}
static_assert(leaves_settled_ends_alone());

constexpr bool becomes_what_it_is_made_of() {
    bottom_reserve<compacting<together>> memory(20);
    if (!memory.reserve(2) || memory.place({.length = 3}) == no_block) return false;
    const bottom_reserve<compacting<best_fit>> plain(memory);
    const compacting<together> back{compacting<best_fit>(20)};
    return plain.reserved() == 2 && plain.map() == memory.map() && back.map().free() == 20;
}
static_assert(becomes_what_it_is_made_of());

/// Where the rule puts `length` in a memory that is free but for `live`, in address order; `capacity` if nowhere.
std::uint64_t place_by_rule(const std::vector<extent>& live, std::uint64_t capacity, std::uint64_t length) {
    std::vector<extent> holes;
    std::uint64_t end = 0;
    for (const extent& block : live) {
        if (block.offset != end) holes.push_back({end, block.offset - end});
        end = block.end();
    }
    if (end != capacity) holes.push_back({end, capacity - end});
    const extent* best = nullptr;
    for (const extent& hole : holes)
        if (hole.size >= length && (best == nullptr || hole.size < best->size)) best = &hole;
    if (best == nullptr) return capacity;
    const std::uint64_t low = best->offset;
    const std::uint64_t high = best->end() - length;
    if (low == 0) return low;
    if (best->end() == capacity) return high;
    std::uint64_t below = 0;  // free on the other side of the neighbours
    std::uint64_t above = 0;
    std::uint64_t low_neighbour = 0;
    std::uint64_t high_neighbour = 0;
    for (std::size_t at = 0; at < live.size(); ++at) {
        if (live[at].end() == best->offset) {
            low_neighbour = live[at].size;
            below = live[at].offset - (at == 0 ? 0 : live[at - 1].end());
        }
        if (live[at].offset == best->end()) {
            high_neighbour = live[at].size;
            above = (at + 1 == live.size() ? capacity : live[at + 1].offset) - live[at].end();
        }
    }
    CHECK(low_neighbour * high_neighbour != 0);
    if (below != above) return below < above ? low : high;
    return best->offset < capacity - best->end() ? low : high;
}

TEST_CASE("random memories: each block is where the rule puts it") {
    constexpr std::uint32_t capacity = 200;
    for_each_seed(300, 120, [&](std::uint64_t seed, std::uint32_t steps) -> testing::outcome {
        testing::random_numbers random(seed);
        together memory(capacity);
        std::vector<block_index> held;
        for (std::uint32_t step = 0; step < steps; ++step) {
            if (!held.empty() && random.once_in(3)) {
                const auto at = static_cast<std::size_t>(random.below(held.size()));
                memory.release(held[at]);
                held[at] = held.back();
                held.pop_back();
                continue;
            }
            std::vector<extent> live;
            const auto& map = memory.map();
            for (block_index block = map.first(); block != no_block; block = map.next(block))
                if (!map.is_hole(block)) live.push_back({map.offset(block), map.size(block)});
            const std::uint64_t length = 1 + random.below(random.once_in(3) ? 24 : 6);
            const std::uint64_t expected = place_by_rule(live, capacity, length);
            const block_index placed = memory.place({.length = static_cast<std::uint32_t>(length)});
            if ((placed == no_block) != (expected == capacity))
                return {.broken = "it fits, or not, by the rule alone", .seed = seed, .step = step};
            if (placed == no_block) continue;
            if (map.offset(placed) != expected)
                return {.broken = "a block is not at the end that the rule says", .seed = seed, .step = step};
            held.push_back(placed);
        }
        return {};
    });
}

TEST_CASE("an alignment is kept at either end") {
    together memory = with({{0, 1}, {9, 4}, {23, 4}, {28, 12}});  // 8 below, 1 above: the high end of [13, 23)
    const block_index block = memory.place({.length = 3, .alignment = 4});
    REQUIRE(block != no_block);
    CHECK(memory.map().offset(block) % 4 == 0);
}

}  // namespace
}  // namespace hbm::test::free_together_tests
