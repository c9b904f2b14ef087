// The model of PyTorch's caching allocator, held against its published rules.

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "compare/managers/torch_caching.hpp"
#include "compare/read/csv/read.hpp"
#include "compare/replay/replay.hpp"

namespace hbm::test::torch_model_tests {

using namespace hbm::compare;

namespace {

constexpr std::uint64_t kibibyte = 1024;
constexpr std::uint64_t mebibyte = 1024 * kibibyte;
constexpr std::uint64_t quantum = 512;

/// Places bytes, and returns the block.
block_index place(torch_caching& blocks, std::uint64_t bytes) {
    return blocks.place({.length = (bytes + quantum - 1) / quantum});
}

std::uint64_t reserved_by(const torch_caching& blocks) {
    return blocks.reserved() * quantum;
}

torch_caching memory_of(std::uint64_t bytes) {
    return torch_caching(bytes / quantum);
}

std::uint64_t offset_of(const torch_caching& blocks, block_index block) {
    return blocks.map().offset(block) * quantum;
}

}  // namespace

TEST_CASE("torch: a segment has the size of its pool, and a large one that of its block") {
    struct rule {
        std::uint64_t bytes;
        std::uint64_t segment;
    };
    for (const rule& expected : std::vector<rule>{{1, 2 * mebibyte},
                                                  {mebibyte, 2 * mebibyte},
                                                  {mebibyte + 1, 20 * mebibyte},
                                                  {10 * mebibyte - quantum, 20 * mebibyte},
                                                  {10 * mebibyte, 10 * mebibyte},
                                                  {11 * mebibyte, 12 * mebibyte},
                                                  {100 * mebibyte + 1, 102 * mebibyte}}) {
        CAPTURE(expected.bytes);
        torch_caching blocks = memory_of(256 * mebibyte);
        REQUIRE(place(blocks, expected.bytes) != no_block);
        CHECK(reserved_by(blocks) == expected.segment);
    }
}

TEST_CASE("torch: a small block is split to 512 bytes, a large one if over 1 MiB remains") {
    torch_caching blocks = memory_of(256 * mebibyte);
    const block_index first = place(blocks, 1);
    const block_index second = place(blocks, 1);
    CHECK(blocks.map().size(first) * quantum == 512);
    CHECK(offset_of(blocks, second) == offset_of(blocks, first) + 512);
    const block_index whole = place(blocks, 19 * mebibyte);  // of a segment of its own, of 20 MiB
    CHECK(blocks.map().size(whole) * quantum == 20 * mebibyte);
    CHECK(blocks.map().granted(whole) * quantum == 19 * mebibyte);
    const block_index part = place(blocks, 9 * mebibyte);
    CHECK(blocks.map().size(part) * quantum == 9 * mebibyte);
    CHECK(reserved_by(blocks) == 42 * mebibyte);
}

TEST_CASE("torch: the smallest free block of the pool is taken, ties to the lowest") {
    torch_caching blocks = memory_of(256 * mebibyte);
    const block_index large = place(blocks, 30 * mebibyte);
    const block_index low = place(blocks, 20 * mebibyte);
    const block_index high = place(blocks, 20 * mebibyte);
    const std::uint64_t lowest = offset_of(blocks, low);
    for (const block_index block : {large, low, high}) blocks.release(block);
    CHECK(offset_of(blocks, place(blocks, 15 * mebibyte)) == lowest);
    // The small pool has nothing free, though the large pool has.
    CHECK(place(blocks, mebibyte) != no_block);
    CHECK(reserved_by(blocks) == 72 * mebibyte);
}

TEST_CASE("torch: free blocks merge within a segment, and not beyond") {
    torch_caching blocks = memory_of(256 * mebibyte);
    std::vector<block_index> all;
    for (int count = 0; count < 4; ++count) all.push_back(place(blocks, 9 * mebibyte));  // two in each 20 MiB
    CHECK(reserved_by(blocks) == 40 * mebibyte);
    for (const block_index block : all) blocks.release(block);
    CHECK(place(blocks, 20 * mebibyte) != no_block);
    CHECK(reserved_by(blocks) == 40 * mebibyte);
    CHECK(place(blocks, 21 * mebibyte) != no_block);  // no two segments make a block
    CHECK(reserved_by(blocks) == 62 * mebibyte);
}

TEST_CASE("torch: without room the free segments are returned, and the request is tried again") {
    torch_caching blocks = memory_of(64 * mebibyte);
    const block_index kept = place(blocks, 2 * mebibyte);
    blocks.release(place(blocks, 40 * mebibyte));
    CHECK(reserved_by(blocks) == 60 * mebibyte);
    CHECK(place(blocks, 44 * mebibyte) != no_block);
    CHECK(reserved_by(blocks) == 64 * mebibyte);
    CHECK(place(blocks, 19 * mebibyte) == no_block);  // 18 MiB are free, in a segment that holds a block
    CHECK(blocks.map().live_blocks() == 2);
    blocks.release(kept);
    CHECK(place(blocks, 20 * mebibyte) != no_block);
}

TEST_CASE("torch: blocks and holes cover the memory after any requests, and reserved memory holds all blocks") {
    torch_caching blocks = memory_of(200 * mebibyte);
    std::uint64_t seed = 3;
    const auto next = [&](std::uint64_t below) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        return (seed >> 33) % below;
    };
    std::vector<block_index> live;
    std::size_t failures = 0;
    for (int round = 0; round < 4000; ++round) {
        if (!live.empty() && next(5) < 2) {
            std::swap(live[next(live.size())], live.back());
            blocks.release(live.back());
            live.pop_back();
            continue;
        }
        const std::uint64_t bytes = 1 + next(std::uint64_t{1} << (10 + next(15)));
        const block_index block = place(blocks, bytes);
        if (block == no_block)
            ++failures;
        else
            live.push_back(block);
        if (block == no_block && live.size() > 8)
            for (int count = 0; count < 8; ++count) {
                blocks.release(live.back());
                live.pop_back();
            }
        std::uint64_t end = 0;
        std::uint64_t used = 0;
        for (block_index at = blocks.map().first(); at != no_block; at = blocks.map().next(at)) {
            REQUIRE(blocks.map().offset(at) == end);
            end = blocks.map().end(at);
            if (!blocks.map().is_hole(at)) used += blocks.map().size(at);
        }
        REQUIRE(end == blocks.map().capacity());
        REQUIRE(blocks.reserved() >= used);
        REQUIRE(blocks.reserved() <= blocks.map().capacity());
    }
    CHECK(failures > 10);
    for (const block_index block : live) blocks.release(block);
    // Everything can be returned: a block takes nearly all memory.
    CHECK(place(blocks, (blocks.map().capacity() * quantum / (20 * mebibyte) - 1) * 20 * mebibyte) != no_block);
}

TEST_CASE("torch: the model rounds to 512 bytes whatever the quantum, and its highest end is what it reserves") {
    const trace::workload load = trace::read_text("op,id,bytes\nalloc,a,1\nalloc,b,3000000\nfree,b,\n", "t.csv");
    for (const std::uint64_t other : {std::uint64_t{1}, quantum, std::uint64_t{4096}}) {
        const auto memory = torch_caching_entry().memory({.capacity = 64 * mebibyte, .quantum = other});
        const trace::figures figures = trace::measure(load, *memory, other, true);
        CHECK(figures.completed);
        CHECK(figures.footprint_bytes == 22 * mebibyte);
        CHECK(figures.peak_live_bytes == 512 + 3'000'320);
    }
}

}  // namespace hbm::test::torch_model_tests
