#include <hbm/index/far_hole.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <initializer_list>
#include <vector>

namespace hbm::test {

namespace {

/// Blocks with random gaps between them, the first of which may be a reservation at the bottom.
template <class Quanta>
struct random_map {
    static constexpr Quanta capacity = 40;
    block_map<Quanta> map{capacity};
    std::vector<block_index> blocks;
    basic_extent<Quanta> top;                // the hole at the top
    basic_extent<Quanta> above_reservation;  // the hole next to the reservation, or to the bottom

    explicit random_map(testing::random_numbers& random) {
        block_index lower = block_map<Quanta>::bottom;
        const bool reserves = random.once_in(2);
        std::vector<basic_extent<Quanta>> ranges;
        Quanta at = 0;
        for (std::uint64_t left = random.below(5); left != 0; --left) {
            const auto gap = static_cast<Quanta>(reserves && ranges.empty() ? 0 : random.below(4));
            const auto size = static_cast<Quanta>(1 + random.below(4));
            at = static_cast<Quanta>(at + gap);
            ranges.push_back({at, size});
            at = static_cast<Quanta>(at + size);
            const block_index block = map.new_block();
            map.attach(block, lower, gap, size);
            map.begin_life(block, size, size, 1);
            blocks.push_back(block);
            lower = block;
        }
        if (!ranges.empty() && random.once_in(3)) {  // the last block reaches to the top
            const auto gap = static_cast<Quanta>(random.below(2) * 3);
            const block_index block = map.new_block();
            map.attach(block, lower, gap, static_cast<Quanta>(capacity - at - gap));
            map.begin_life(block, map.size(block), map.size(block), 1);
            ranges.push_back({static_cast<Quanta>(at + gap), static_cast<Quanta>(capacity - at - gap)});
            blocks.push_back(block);
            at = capacity;
        }
        top = {at, static_cast<Quanta>(capacity - at)};
        const bool reserved = reserves && !blocks.empty();
        if (reserved) map.set_reservation(blocks.front());
        const std::size_t above = reserved ? 1 : 0;
        const Quanta begin = reserved ? ranges[0].end() : Quanta{0};
        const Quanta end = above < ranges.size() ? ranges[above].offset : capacity;
        above_reservation = {begin, static_cast<Quanta>(end - begin)};
    }
};

template <end From, class Quanta>
void expect_far_hole(const block_map<Quanta>& map, const std::vector<block_index>& blocks,
                     basic_extent<Quanta> expected) {
    using far = far_hole<From>;
    CHECK(far::size(map) == expected.size);
    CHECK(map.end(far::owner(map)) == expected.offset);
    CHECK(far::is_after(map, block_map<Quanta>::bottom) == (expected.offset == 0));
    for (const block_index block : blocks) CHECK(far::is_after(map, block) == (map.end(block) == expected.offset));
    for (Quanta length = 1; length <= map.capacity() + 1; ++length) {
        const block_index found = far::at_least(map, length);
        CHECK((found != no_block) == (expected.size >= length));
        if (found != no_block) CHECK(map.range(found) == expected);
        for (const Quanta alignment : {Quanta{1}, Quanta{2}, Quanta{8}}) {
            for (const Quanta avoid_below : {Quanta{0}, expected.offset, static_cast<Quanta>(expected.offset + 1)}) {
                const need<Quanta> asked{.length = length, .alignment = alignment, .avoid_below = avoid_below};
                Quanta begin = expected.offset;
                while (begin % alignment != 0) ++begin;
                const bool fits = begin + length <= expected.end() && avoid_below <= expected.offset;
                const block_index admitted = far::admitted(map, asked);
                CHECK((admitted != no_block) == fits);
                if (admitted != no_block) CHECK(map.range(admitted) == expected);
            }
        }
    }
}

template <class Quanta>
void expect_far_holes() {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        testing::random_numbers random(seed);
        const random_map<Quanta> here(random);
        expect_far_hole<end::low>(here.map, here.blocks, here.top);
        expect_far_hole<end::high>(here.map, here.blocks, here.above_reservation);
    }
}

}  // namespace

TEST_CASE("the far hole is the one at the top, or the one next to the reservation") {
    expect_far_holes<std::uint32_t>();
    expect_far_holes<std::uint64_t>();
}

TEST_CASE("a memory of nothing has no far hole") {
    const block_map<std::uint32_t> map(0);
    CHECK(far_hole<end::low>::at_least(map, 1u) == no_block);
    CHECK(far_hole<end::high>::at_least(map, 1u) == no_block);
    CHECK(far_hole<end::low>::admitted(map, {.length = 1}) == no_block);
    CHECK(far_hole<end::high>::admitted(map, {.length = 1}) == no_block);
}

}  // namespace hbm::test
