#include <hbm/index/best_hole.hpp>
#include <hbm/index/fit.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <testing/seeds.hpp>
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

/// Holes in plain containers: of the smallest that fit, the lowest.
class plain_holes {
public:
    void add(std::uint32_t offset, std::uint32_t size) {
        const auto after = sizes_.lower_bound(offset);
        if (after != sizes_.end() && after->first == offset + size) size += take_out(after);
        const auto before = sizes_.lower_bound(offset);
        if (before != sizes_.begin() && std::prev(before)->first + std::prev(before)->second == offset) {
            offset = std::prev(before)->first;
            size += take_out(std::prev(before));
        }
        sizes_.emplace(offset, size);
        by_size_.emplace(size, offset);
    }
    /// Where a block of `length` goes; false if nowhere.
    bool place(std::uint32_t length, std::uint32_t& offset) {
        const auto found = by_size_.lower_bound({length, 0});
        if (found == by_size_.end()) return false;
        offset = found->second;
        const std::uint32_t size = take_out(sizes_.find(offset));
        if (size != length) add(offset + length, size - length);
        return true;
    }

private:
    std::uint32_t take_out(std::map<std::uint32_t, std::uint32_t>::iterator hole) {
        const std::uint32_t size = hole->second;
        by_size_.erase({size, hole->first});
        sizes_.erase(hole);
        return size;
    }

    std::map<std::uint32_t, std::uint32_t> sizes_;  // by offset
    std::set<std::pair<std::uint32_t, std::uint32_t>> by_size_;
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

/// Frees and places at random, nine blocks in ten of the usual size, which changes now and then, and the others nearly
/// as long.
template <class Placement>
void expect_the_nearest(std::uint32_t usual, std::uint64_t seed) {
    using quanta = typename Placement::quanta;
    testing::random_numbers random(seed);
    Placement memory(4'200'000);
    std::vector<block_index> live;
    for (int step = 0; step < 4000; ++step) {
        if (!live.empty() && random.below(100) < (step % 2000 > 1000 ? 52 : 44)) {
            std::swap(live[random.below(live.size())], live.back());
            memory.release(live.back());
            live.pop_back();
            continue;
        }
        const std::uint32_t now = step / 400 % 3 == 2 ? usual + 5 : usual;
        need<quanta> asked{.length = now};
        if (random.once_in(10)) asked.length = static_cast<quanta>(now - 3 + random.below(9));
        if (random.once_in(40)) asked.from = asked.at = end::high;
        if (random.once_in(40)) asked.alignment = 4;
        basic_extent<quanta> expected;
        quanta largest = 0;
        const auto& map = memory.map();
        for (block_index at = map.first(); at != no_block; at = map.next(at)) {
            if (!map.is_hole(at)) continue;
            if (map.size(at) > largest) largest = map.size(at);
            if (!asked.admits(map.range(at))) continue;
            if (expected.size == 0 || map.size(at) < expected.size ||
                (map.size(at) == expected.size && asked.from == end::high))
                expected = map.range(at);
        }
        REQUIRE(memory.largest_free() == largest);
        const block_index block = memory.place(asked);
        REQUIRE((block != no_block) == (expected.size != 0));
        if (block == no_block) continue;
        REQUIRE(map.offset(block) == asked.offset_in(expected));
        live.push_back(block);
    }
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

TEST_CASE("pages that run short go from size to size, and the hole taken is the smallest and lowest all the same") {
    constexpr std::uint32_t count = 4000;
    constexpr std::uint32_t size = 8192;
    for (std::uint64_t seed = 1; seed <= seeds_to_try(5); ++seed) {
        CAPTURE(seed);
        comb all(size, count, 3 * count);
        plain_holes plain;
        for (const block_index tooth : all.teeth) plain.add(all.memory.map().end(tooth), size);
        std::uint64_t state = seed;
        const auto below = [&](std::uint32_t limit) {
            state = state * 6364136223846793005u + 1442695040888963407u;
            return static_cast<std::uint32_t>((state >> 33) % limit);
        };
        std::vector<block_index> live;
        for (unsigned phase = 0; phase < 16; ++phase) {
            const std::uint32_t lengths[] = {size / 2 + 1 + below(3000), 1 + below(4000), 1 + below(9)};
            const std::uint32_t kinds = 1 + below(3);
            for (std::uint32_t i = below(2 * count); i != 0; --i) {
                const std::uint32_t length = lengths[below(kinds)];
                std::uint32_t expected = 0;
                const bool fits = plain.place(length, expected);
                const block_index block = all.memory.place({.length = length});
                REQUIRE(fits == (block != no_block));
                if (!fits) break;
                REQUIRE(all.memory.map().offset(block) == expected);
                live.push_back(block);
            }
            for (std::size_t kept = phase % 4 == 3 ? 0 : below(static_cast<std::uint32_t>(live.size()) + 1);
                 live.size() > kept; live.pop_back()) {
                std::swap(live[below(static_cast<std::uint32_t>(live.size()))], live.back());
                const auto& map = all.memory.map();
                plain.add(map.offset(live.back()), map.size(live.back()));
                all.memory.release(live.back());
            }
        }
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

TEST_CASE("of many holes of one size the nearest to either end is taken, among smaller and larger ones") {
    for (const std::uint32_t usual : {1500u, 4096u, 9000u}) {
        CAPTURE(usual);
        for (std::uint64_t seed = 1; seed <= seeds_to_try(4); ++seed) {
            CAPTURE(seed);
            expect_the_nearest<best_fit>(usual, seed);
            expect_the_nearest<basic_best_fit<std::uint64_t>>(usual, seed);
        }
    }
}

}  // namespace hbm::test::list_pages_tests
