#include <hbm/index/best_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace hbm::test::list_pages_tests {

/// An order that counts the holes that are looked at.
template <class Quanta, end From>
struct counting_order : nearest_first<Quanta, From> {
    using base = nearest_first<Quanta, From>;
    using base::base;

    static inline std::uint64_t looks = 0;

    [[nodiscard]] typename base::key rest(Quanta size, Quanta offset) const noexcept {
        ++looks;
        return base::rest(size, offset);
    }
    [[nodiscard]] static bool before(const block_node<Quanta>& other, Quanta size, Quanta offset) noexcept {
        ++looks;
        return base::before(other, size, offset);
    }
    [[nodiscard]] static bool is_below(const block_node<Quanta>& other, Quanta size, Quanta offset) noexcept {
        return before(other, size, offset);
    }
    [[nodiscard]] static bool has_size(const block_node<Quanta>& hole, Quanta size) noexcept {
        ++looks;
        return base::has_size(hole, size);
    }
};

namespace {

/// Memory full of blocks of `size`, of which every other one is free.
struct comb {
    best_fit memory;
    std::vector<block_index> teeth;

    comb(std::uint32_t size, std::uint32_t count, std::uint32_t reserved) : memory(2 * size * count) {
        memory.reserve_metadata(reserved);
        std::vector<block_index> gaps;
        for (std::uint32_t i = 0; i < count; ++i) {
            teeth.push_back(memory.place({.length = size}));
            gaps.push_back(memory.place({.length = size}));
        }
        for (std::uint32_t i = 0; i < count; ++i) memory.release(gaps[i * 7 % count]);
    }
};

/// Fills the free holes from the lowest on, and frees them again, the first last.
void expect_the_nearest_first(best_fit& memory, std::uint32_t size, std::uint32_t count) {
    std::vector<block_index> blocks;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        blocks.push_back(memory.place({.length = size}));
        REQUIRE(blocks.back() != no_block);
        const std::uint32_t offset = memory.map().offset(blocks.back());
        REQUIRE((i == 0 || offset > last));
        last = offset;
    }
    CHECK(memory.place({.length = size}) == no_block);
    for (; !blocks.empty(); blocks.pop_back()) memory.release(blocks.back());
}

/// The holes that are looked at for each free of blocks of 1,024 sizes that share a leading class.
std::uint64_t looks_per_free(std::uint32_t count) {
    using counting_fit = fit<best_hole<std::uint32_t, counting_order>>;
    testing::random_numbers random(7);
    counting_fit memory(count * 33'400);
    memory.reserve_metadata(2 * count);
    std::vector<block_index> blocks;
    for (std::uint32_t i = 0; i < count; ++i) {
        blocks.push_back(memory.place({.length = static_cast<std::uint32_t>(32'768 + random.below(1024))}));
        REQUIRE(blocks.back() != no_block);
        REQUIRE(memory.place({.length = 1}) != no_block);
    }
    for (std::size_t i = count; i > 1; --i) std::swap(blocks[i - 1], blocks[random.below(i)]);
    counting_order<std::uint32_t, end::low>::looks = 0;
    for (const block_index block : blocks) memory.release(block);
    return counting_order<std::uint32_t, end::low>::looks / count;
}

/// The holes passed by a placement of a block slightly longer than `count` equal holes, which were freed from the top
/// down.
std::uint64_t looks_per_longer_block(std::uint32_t count) {
    constexpr std::uint32_t size = 4096;
    fit<best_hole<std::uint32_t, counting_order>> memory(count * (2 * size + 3));
    memory.reserve_metadata(2 * count);
    std::vector<block_index> blocks;
    for (std::uint32_t i = 0; i < count; ++i) {
        blocks.push_back(memory.place({.length = size}));
        REQUIRE(memory.place({.length = 1}) != no_block);
    }
    for (; !blocks.empty(); blocks.pop_back()) memory.release(blocks.back());
    counting_order<std::uint32_t, end::low>::looks = 0;
    for (std::uint32_t i = 0; i < count; ++i) REQUIRE(memory.place({.length = size + 1}) != no_block);
    return counting_order<std::uint32_t, end::low>::looks / count;
}

/// The holes passed for each block of a memory in which all holes change their size again and again: more sizes than
/// there are pages for at once.
std::uint64_t looks_per_block_of_many_sizes() {
    constexpr std::uint32_t count = 6000, unit = 64;
    fit<best_hole<std::uint32_t, counting_order>> memory(2 * 64 * unit * count);
    memory.reserve_metadata(2 * count);
    std::vector<block_index> blocks;
    for (std::uint32_t i = 0; i < count; ++i) {
        REQUIRE(memory.place({.length = 64 * unit}) != no_block);
        blocks.push_back(memory.place({.length = 64 * unit}));
    }
    for (const block_index block : blocks) memory.release(block);
    counting_order<std::uint32_t, end::low>::looks = 0;
    for (std::uint32_t cut = 33; cut < 63; ++cut) {  // blocks of more than half a hole leave holes of one smaller size
        for (block_index& block : blocks) block = memory.place({.length = cut * unit});
        for (std::uint32_t i = 0; i < count; ++i) memory.release(blocks[i * 11 % count]);
    }
    return counting_order<std::uint32_t, end::low>::looks / (30 * count);
}

}  // namespace

TEST_CASE("the lowest of very many equal holes is taken, however often all of them go") {
    for (const std::uint32_t size : {1u, 5u, 512u, 4096u}) {
        CAPTURE(size);
        comb all(size, 5000, 10'000);
        for (unsigned round = 0; round < 3; ++round) expect_the_nearest_first(all.memory, size, 5000);
    }
}

TEST_CASE("pages that became empty are used for holes of other sizes, and where there are none lists grow longer") {
    constexpr std::uint32_t count = 6000;
    for (const std::uint32_t unit : {1u, 64u}) {  // pages of the table, and pages below pages
        CAPTURE(unit);
        comb all(64 * unit, count, 2 * count);
        for (const std::uint32_t cut : {0u, 33u, 40u, 48u, 63u, 0u, 50u}) {
            CAPTURE(cut);
            // Blocks of more than half a hole leave nothing but holes of one smaller size.
            std::vector<block_index> cuts;
            for (std::uint32_t i = 0; cut != 0 && i < count; ++i) {
                cuts.push_back(all.memory.place({.length = cut * unit}));
                REQUIRE(cuts.back() != no_block);
            }
            expect_the_nearest_first(all.memory, (64 - cut) * unit, count);
            for (std::uint32_t i = 0; i < cuts.size(); ++i) all.memory.release(cuts[i * 11 % count]);
        }
        CHECK(all.memory.largest_free() == 64 * unit);
    }
}

TEST_CASE("an index without reserved room makes pages as it needs them") {
    comb all(8, 3000, 0);
    const best_fit copy = all.memory;
    expect_the_nearest_first(all.memory, 8, 3000);
    CHECK(copy == all.memory);
}

TEST_CASE("list_pages: a free looks at few holes, however many sizes share a leading class") {
    for (const std::uint32_t count : {1000u, 10'000u, 60'000u}) {
        CAPTURE(count);
        CHECK(looks_per_free(count) < 8);
    }
}

TEST_CASE("list_pages: an allocation passes few holes, even if each was inserted in front of the others") {
    for (const std::uint32_t count : {1000u, 10'000u, 60'000u}) {
        CAPTURE(count);
        CHECK(looks_per_longer_block(count) < 16);
    }
}

TEST_CASE("list_pages: pages that became empty are used again, however many sizes the holes have in turn") {
    CHECK(looks_per_block_of_many_sizes() < 16);
}

}  // namespace hbm::test::list_pages_tests
