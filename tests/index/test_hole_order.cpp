#include <hbm/index/hole_order.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <limits>

namespace hbm::test::hole_order_tests {

namespace {

using testing::random_numbers;

template <class Quanta>
using hole = basic_extent<Quanta>;

/// A hole, often a small one, in a memory of `capacity`; seldom one that begins at 0.
template <class Quanta>
hole<Quanta> any_hole(std::uint64_t capacity, random_numbers& random) {
    const std::uint64_t longest = random.once_in(2) ? capacity : capacity < 40 ? capacity : 40;
    const std::uint64_t size = 1 + random.below(longest);
    return {static_cast<Quanta>(random.up_to(capacity - size)), static_cast<Quanta>(size)};
}
template <class Quanta>
block_node<Quanta> node_of(hole<Quanta> free, block_index next) {
    block_node<Quanta> node;
    node.next = next;
    node.offset = free.offset;
    node.size = free.size;
    return node;
}
/// The `left` lowest bits of a key, from the highest bit of a word down.
template <class Key>
Key lowest_bits_on_top(Key number, unsigned left) {
    for (unsigned bit = left; bit < sizeof(Key) * 8; ++bit) number = static_cast<Key>(number * 2);
    return number;
}
/// The smaller first, and of equals the one nearest to the end where searches begin.
template <end From, class Quanta>
bool nearer(hole<Quanta> a, hole<Quanta> b) {
    if (a.size != b.size) return a.size < b.size;
    return From == end::low ? a.offset < b.offset : a.offset > b.offset;
}

template <class Quanta, end From>
void expect_nearest_first(std::uint64_t capacity, unsigned leading_bits, std::uint64_t seed) {
    random_numbers random(seed);
    using order_type = nearest_first<Quanta, From>;
    const order_type order(static_cast<Quanta>(capacity), leading_bits);
    const block_node<Quanta> list_end = block_map<Quanta>(1).node(block_map<Quanta>::list_end);
    for (int pair = 0; pair < 500; ++pair) {
        const hole<Quanta> a = any_hole<Quanta>(capacity, random);
        hole<Quanta> b = any_hole<Quanta>(capacity, random);
        if (random.once_in(3)) b.size = a.size;
        if (From == end::high && (a.offset == 0 || b.offset == 0)) continue;  // no such hole is in a list
        if (b.offset > capacity - b.size) continue;
        CAPTURE(pair);
        const unsigned list_a = order.list_of(a.size, a.offset);
        const unsigned list_b = order.list_of(b.size, b.offset);
        REQUIRE((list_a != 0 && list_a < order.lists()));
        const bool first = nearer<From>(a, b);
        if (first) {
            REQUIRE(order.key_of(a.size, a.offset) < order.key_of(b.size, b.offset));
            REQUIRE(list_a <= list_b);
            if (list_a == list_b) REQUIRE(order.rest(a.size, a.offset) < order.rest(b.size, b.offset));
        }
        const unsigned left = order.remaining_bits(a.size);
        REQUIRE(order.size_bits_in_rest(a.size) <= left);
        if (list_a == list_b) REQUIRE(left == order.remaining_bits(b.size));
        if (left != 0)
            REQUIRE((order.rest(a.size, a.offset) == lowest_bits_on_top(order.key_of(a.size, a.offset), left)));
        REQUIRE(order_type::before(node_of<Quanta>(a, 5), b.size, b.offset) == first);
        REQUIRE_FALSE(order_type::before(list_end, a.size, a.offset));
        // The offsets at either end, and the next one.
        REQUIRE(order.key_of(a.size, order.first_offset()) <= order.key_of(a.size, a.offset));
        REQUIRE(order.key_of(a.size, order.last_offset()) >= order.key_of(a.size, a.offset));
        const Quanta next = order_type::offset_after(a.offset);
        REQUIRE(order.key_of(a.size, next) == order.key_of(a.size, a.offset) + 1);
    }
}

template <class Quanta, end From>
void expect_latest_first(std::uint64_t capacity, unsigned leading_bits, std::uint64_t seed) {
    random_numbers random(seed);
    using order_type = latest_first<Quanta, From>;
    const order_type order(static_cast<Quanta>(capacity), leading_bits);
    const block_node<Quanta> list_end = block_map<Quanta>(1).node(block_map<Quanta>::list_end);
    for (int pair = 0; pair < 500; ++pair) {
        const hole<Quanta> a = any_hole<Quanta>(capacity, random);
        hole<Quanta> b = any_hole<Quanta>(capacity, random);
        if (random.once_in(3)) b.size = a.size;
        CAPTURE(pair);
        const unsigned list_a = order.list_of(a.size, a.offset);
        const unsigned list_b = order.list_of(b.size, b.offset);
        REQUIRE((list_a != 0 && list_a < order.lists()));
        if (a.size == b.size) REQUIRE(list_a == list_b);
        if (const unsigned left = order.remaining_bits(a.size); left != 0)
            REQUIRE(order.rest(a.size, a.offset) == lowest_bits_on_top(a.size, left));
        if (a.size < b.size) {
            REQUIRE(list_a <= list_b);
            if (list_a == list_b) REQUIRE(order.rest(a.size, a.offset) < order.rest(b.size, b.offset));
        }
        // Of equals only the hole at the top comes first, from the high end, unless all of them come after.
        const bool at_the_top = random.once_in(2);
        const block_node<Quanta> node = node_of<Quanta>(a, at_the_top ? block_map<Quanta>::bottom : 5);
        const bool top_first = From == end::high && at_the_top && a.size == b.size;
        REQUIRE(order_type::before(node, b.size, b.offset) == (a.size < b.size || top_first));
        REQUIRE(order_type::is_below(node, b.size, order_type::first_offset()) == (a.size < b.size));
        REQUIRE_FALSE(order_type::before(list_end, a.size, a.offset));
    }
}

template <class Quanta>
void expect_both_from_both_ends(std::initializer_list<std::uint64_t> capacities) {
    for (const std::uint64_t capacity : capacities) {
        CAPTURE(capacity);
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            CAPTURE(seed);
            for (const unsigned leading_bits : {2u, 8u, 11u}) {
                CAPTURE(leading_bits);
                expect_nearest_first<Quanta, end::low>(capacity, leading_bits, seed);
                expect_nearest_first<Quanta, end::high>(capacity, leading_bits, seed);
                expect_latest_first<Quanta, end::low>(capacity, leading_bits, seed);
                expect_latest_first<Quanta, end::high>(capacity, leading_bits, seed);
            }
        }
    }
}

/// In constant evaluation there are fewer lists, in the same order.
template <class Order>
constexpr bool goes_up_through_its_lists() {
    constexpr std::uint32_t capacity = 300;
    if (Order::leading_bits_for(1'000'000) != Order::leading_bits_for(0)) return false;
    const Order order(capacity, Order::leading_bits_for(0));
    unsigned last = 0;
    for (std::uint32_t size = 1; size < capacity; ++size) {
        const unsigned list = order.list_of(size, 1);
        if (list < last || list >= order.lists()) return false;
        last = list;
    }
    return last != 0;
}
static_assert(goes_up_through_its_lists<nearest_first<std::uint32_t, end::low>>());
static_assert(goes_up_through_its_lists<nearest_first<std::uint32_t, end::high>>());
static_assert(goes_up_through_its_lists<latest_first<std::uint32_t, end::low>>());
static_assert(goes_up_through_its_lists<latest_first<std::uint32_t, end::high>>());

}  // namespace

TEST_CASE("more bits lead where there are more blocks and holes") {
    using lifo = latest_first<std::uint32_t>;
    using lowest = nearest_first<std::uint32_t>;
    for (const std::size_t nodes : {100u, 10'000u, 100'000u, 1'000'000u}) {
        CHECK(lifo::leading_bits_for(nodes) <= lifo::leading_bits_for(nodes * 10));
        CHECK(lowest::leading_bits_for(nodes) <= lowest::leading_bits_for(nodes * 10));
    }
    CHECK(lifo::leading_bits_for(0) < lifo::leading_bits_for(1'000'000));
    CHECK(lowest::leading_bits_for(0) < lowest::leading_bits_for(1'000'000));
}

TEST_CASE("lists and keys sort holes by size, and of equals by the end where searches begin") {
    expect_both_from_both_ends<std::uint32_t>(
        {1, 2, 3, 64, 100, 4095, 4096, 100'000, 1u << 31, std::numeric_limits<std::uint32_t>::max()});
    expect_both_from_both_ends<std::uint64_t>(
        {1, 2, 100, 4096, std::uint64_t{1} << 40, ~std::uint64_t{0} >> 1, ~std::uint64_t{0}});
}

}  // namespace hbm::test::hole_order_tests
