// Offsets against a plain reference model, step by step.
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/bfc.hpp>
#include <hbm/placement/bottom_reserve.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <type_traits>
#include <vector>

#include "support/reference_memory.hpp"

namespace hbm::test::reference_tests {

using testing::random_numbers;

/// Plays random requests; `expected(model, length, alignment)` is where the reference puts them: an offset, or a block
/// where it says how long it is as well. All lengths are multiples of `unit`.
template <placement P, class Expected>
void expect_as_reference(Expected expected, std::uint64_t reserved, std::uint64_t max_alignment_log2,
                         std::uint64_t longest = 40, std::uint64_t unit = 1) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        random_numbers random(seed);
        const std::uint64_t capacity = reserved + unit * (1 + random.below(200));
        P placement_of_ours{static_cast<typename P::quanta>(capacity)};
        reference_memory model(capacity);
        if constexpr (reserves<P>) {
            REQUIRE(placement_of_ours.reserve(static_cast<typename P::quanta>(reserved)));
            model.put(0, reserved);
        }
        std::vector<block_index> live;
        for (int step = 0; step < 80; ++step) {
            if (!live.empty() && random.once_in(2)) {
                const std::size_t victim = random.below(live.size());
                const auto where = placement_of_ours.map().range(live[victim]);
                REQUIRE(model.end(where.offset) == where.size);
                placement_of_ours.release(live[victim]);
                live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
                continue;
            }
            need<typename P::quanta> asked;
            asked.length = static_cast<typename P::quanta>(unit * (1 + random.below(random.once_in(3) ? longest : 6)));
            asked.alignment = static_cast<typename P::quanta>(1u << random.below(max_alignment_log2 + 1));
            const auto place = std::invoke(expected, model, asked.length, asked.alignment);
            const block_index block = placement_of_ours.place(asked);
            REQUIRE((block != no_block) == place.has_value());
            if (!place) continue;
            const auto where = placement_of_ours.map().range(block);
            if constexpr (std::is_same_v<decltype(place), const std::optional<reference_memory::block>>)
                REQUIRE(reference_memory::block{where.offset, where.size} == *place);
            else
                REQUIRE(where.offset == *place);
            model.put(where.offset, where.size);
            std::uint64_t free = 0;
            for (const reference_memory::block& hole : model.holes()) free += hole.size;
            REQUIRE(placement_of_ours.map().free() == free);
            live.push_back(block);
        }
    }
}

TEST_CASE("best fit takes the smallest hole that fits, ties to the lowest offset") {
    constexpr auto expected = &reference_memory::best_fit;
    expect_as_reference<best_fit>(expected, 0, 0);
    expect_as_reference<best_fit>(expected, 0, 4);
    expect_as_reference<basic_best_fit<std::uint64_t>>(expected, 0, 4);
}

TEST_CASE("first fit takes the lowest offset that fits") {
    constexpr auto expected = &reference_memory::first_fit;
    expect_as_reference<first_fit>(expected, 0, 0);
    expect_as_reference<first_fit>(expected, 0, 4);
    expect_as_reference<basic_first_fit<std::uint64_t>>(expected, 0, 4);
}

TEST_CASE("bfc goes where best fit does and takes the whole hole where a split is not worthwhile") {
    constexpr auto expected = &reference_memory::bfc;
    expect_as_reference<bfc>(expected, 0, 0);
    expect_as_reference<bfc>(expected, 0, 4);
    expect_as_reference<bfc>(expected, 0, 0, 110, 8192);  // 64 units are what nobody wastes
    expect_as_reference<bfc>(expected, 0, 17, 110, 8192);
    expect_as_reference<basic_bfc<std::uint64_t>>(expected, 0, 4);
    expect_as_reference<basic_bfc<std::uint64_t>>(expected, 0, 0, 110, 8192);
}

TEST_CASE("buddy takes the lowest of the smallest sufficient free blocks") {
    const auto expected = [](const reference_memory& model, std::uint64_t size, std::uint64_t) {
        return model.buddy(size);
    };
    expect_as_reference<buddy>(expected, 0, 0);
    expect_as_reference<basic_buddy<std::uint64_t>>(expected, 0, 0);
}

TEST_CASE("over a reservation best fit takes holes from the top, the one next to the reservation last") {
    for (const std::uint64_t reserved : {1u, 7u, 64u}) {
        const auto expected = [&](const reference_memory& model, std::uint64_t size, std::uint64_t alignment) {
            return model.best_fit_from_top(size, reserved, alignment);
        };
        expect_as_reference<bottom_reserve<best_fit>>(expected, reserved, 0);
        expect_as_reference<bottom_reserve<best_fit>>(expected, reserved, 3);
    }
}

TEST_CASE("bfc by hand") {
    bfc memory(20);
    const auto place = [&](std::uint32_t length, end at = end::low, std::uint32_t alignment = 1) {
        need<std::uint32_t> asked;
        asked.length = length;
        asked.at = at;
        asked.alignment = alignment;
        return memory.place(asked);
    };
    const auto where = [&](block_index block) { return memory.map().range(block); };
    using range = basic_extent<std::uint32_t>;
    const block_index a = place(7);
    const block_index b = place(3);
    const block_index c = place(4);
    CHECK(where(c) == range{10, 4});
    const block_index d = place(4);  // of six, less than twice four
    CHECK(where(d) == range{14, 6});
    CHECK(memory.map().granted(d) == 4);
    CHECK(memory.map().live() == 18);
    CHECK(memory.map().peak_live() == 18);
    CHECK(memory.map().free() == 0);
    memory.shrink(d, 4);  // what was not worth a split stays
    CHECK(where(d) == range{14, 6});
    memory.shrink(d, 2);
    CHECK(where(d) == range{14, 2});
    CHECK(memory.map().live() == 16);
    CHECK(memory.map().free() == 4);
    memory.release(a);
    CHECK(where(place(4, end::low, 2)) == range{16, 4});  // the hole of its size
    const block_index e = place(3, end::high, 4);         // seven from 0, more than twice three: the aligned high end
    CHECK(where(e) == range{4, 3});
    CHECK(where(place(3, end::high, 2)) == range{0, 4});  // what is left from 0 on, though it was to go to 1
    CHECK(memory.largest_free() == 0);
    memory.release(c);
    memory.release(b);                                    // [7, 14)
    CHECK(where(place(4, end::high, 4)) == range{8, 6});  // the gap below it stays
    CHECK(memory.largest_free() == 1);
    CHECK(where(place(1, end::high)) == range{7, 1});

    constexpr std::uint32_t most = 1u << 19;  // quanta of 256 bytes: 128 MiB
    bfc large(3 * most - 1);
    need<std::uint32_t> asked;
    asked.length = 2 * most;
    const block_index whole = large.place(asked);
    CHECK(large.map().size(whole) == 3 * most - 1);
    large.release(whole);
    asked.length = 2 * most - 1;
    CHECK(large.map().size(large.place(asked)) == 2 * most - 1);
    CHECK(large.largest_free() == most);
}

}  // namespace hbm::test::reference_tests
