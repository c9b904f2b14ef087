#include <hbm/adapt/addressed.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "adapters/pjrt_memory_statistics.hpp"

namespace hbm::test::pjrt_memory_statistics_tests {

namespace {

// A stand-in for PJRT_Device_MemoryStats_Args of xla/pjrt/c/pjrt_c_api.h in openxla/xla: the names, types and order of
// its fields.
struct memory_stats_args {
    std::size_t struct_size;
    void* extension_start;
    void* device;
    std::int64_t bytes_in_use;
    std::int64_t peak_bytes_in_use;
    bool peak_bytes_in_use_is_set;
    std::int64_t num_allocs;
    bool num_allocs_is_set;
    std::int64_t largest_alloc_size;
    bool largest_alloc_size_is_set;
    std::int64_t bytes_limit;
    bool bytes_limit_is_set;
    std::int64_t bytes_reserved;
    bool bytes_reserved_is_set;
    std::int64_t peak_bytes_reserved;
    bool peak_bytes_reserved_is_set;
    std::int64_t bytes_reservable_limit;
    bool bytes_reservable_limit_is_set;
    std::int64_t largest_free_block_bytes;
    bool largest_free_block_bytes_is_set;
    std::int64_t pool_bytes;
    bool pool_bytes_is_set;
    std::int64_t peak_pool_bytes;
    bool peak_pool_bytes_is_set;
};

}  // namespace

TEST_CASE("all fields are filled in from pointers") {
    const memory_on_host host(64 * 512);
    addressed<manager<best_fit>> memory{host.range()};
    void* const a = memory.allocate_or_null(5000);
    REQUIRE(a != nullptr);
    REQUIRE(memory.allocate_or_null(512) != nullptr);
    REQUIRE(memory.deallocate(a));
    memory_stats_args args{};
    args.struct_size = sizeof args;
    fill_memory_statistics(args, memory.figures());
    CHECK(args.bytes_in_use == 512);
    CHECK(args.peak_bytes_in_use == 5120 + 512);
    CHECK(args.num_allocs == 2);
    CHECK(args.largest_alloc_size == 5120);
    CHECK(args.bytes_limit == 64 * 512);
    CHECK(args.bytes_reserved == 0);
    CHECK(args.largest_free_block_bytes == 53 * 512);
    CHECK(args.pool_bytes == 64 * 512);
    CHECK(args.peak_pool_bytes == 64 * 512);
    CHECK((args.peak_bytes_in_use_is_set && args.num_allocs_is_set && args.largest_alloc_size_is_set &&
           args.bytes_limit_is_set && args.bytes_reserved_is_set && args.peak_bytes_reserved_is_set &&
           args.bytes_reservable_limit_is_set && args.largest_free_block_bytes_is_set && args.pool_bytes_is_set &&
           args.peak_pool_bytes_is_set));
}

TEST_CASE("and from a manager with the observer, programs and all") {
    manager<bottom_reserve<best_fit>, evict_lru, never_donate, relieve_cheapest, no_device, statistics> memory{tpu::v4};
    REQUIRE(memory.allocate(1_GiB));
    REQUIRE(memory.load({.name = "step", .code = 1_MiB, .scratch = 2_GiB}));
    memory_stats_args args{};
    args.struct_size = sizeof args;
    fill_memory_statistics(args, memory.events());
    CHECK(args.bytes_in_use == 1_GiB + 1_MiB);
    CHECK(args.bytes_reserved == 2_GiB);
    CHECK(args.bytes_limit == 33'014'415'360);
    CHECK(args.bytes_in_use + args.bytes_reserved + args.largest_free_block_bytes == args.bytes_limit);
    CHECK(args.bytes_reservable_limit == args.bytes_limit - args.bytes_in_use);
}

TEST_CASE("what an older caller's struct has not is not touched") {
    statistics figures;
    figures.bytes_in_use = figures.num_allocs = figures.largest_alloc_size = figures.bytes_limit = 7;
    figures.peak_bytes_in_use = ~std::uint64_t{0};
    for (std::size_t size = 0; size <= sizeof(memory_stats_args); ++size) {
        CAPTURE(size);
        memory_stats_args args;
        std::memset(static_cast<void*>(&args), 0x55, sizeof args);
        args.struct_size = size;
        fill_memory_statistics(args, figures);
        const auto* const bytes = reinterpret_cast<const unsigned char*>(&args);
        for (std::size_t at = size < sizeof size ? sizeof size : size; at < sizeof args; ++at)
            REQUIRE(bytes[at] == 0x55);
        const bool has_peak = size >= offsetof(memory_stats_args, peak_bytes_in_use_is_set) + 1;
        CHECK(bytes[offsetof(memory_stats_args, peak_bytes_in_use_is_set)] == (has_peak ? 1 : 0x55));
        if (has_peak) CHECK(args.peak_bytes_in_use == INT64_MAX);
        if (size >= offsetof(memory_stats_args, peak_bytes_in_use)) CHECK(args.bytes_in_use == 7);
    }
}

}  // namespace hbm::test::pjrt_memory_statistics_tests
