// The adapters to paste, each used once with stand-ins for the types of the projects that they name.
#include <hbm/adapt/addressed.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

#include "../../examples/adapters/iree_allocator.hpp"
#include "../../examples/adapters/pjrt_memory_statistics.hpp"
#include "../../examples/adapters/prometheus_file.hpp"
#include "../../examples/adapters/prometheus_text.hpp"
#include "../../examples/adapters/tsl_allocator.hpp"
#include "adapt/memory_on_host.hpp"

namespace hbm::test::adapters_tests {

namespace {

constexpr std::uint64_t q = 512;

// tsl::AllocatorStats and tsl::Allocator of xla/tsl/framework/allocator.h.
struct allocator_stats {
    std::int64_t num_allocs = 0;
    std::int64_t bytes_in_use = 0;
    std::int64_t peak_bytes_in_use = 0;
    std::int64_t largest_alloc_size = 0;
    std::optional<std::int64_t> bytes_limit;
    std::int64_t bytes_reserved = 0;
    std::int64_t largest_free_block_bytes = 0;
};
class allocator_interface {
public:
    virtual ~allocator_interface() = default;
    virtual std::string Name() = 0;
    virtual void* AllocateRaw(std::size_t alignment, std::size_t num_bytes) = 0;
    virtual void DeallocateRaw(void* ptr) = 0;
    virtual bool TracksAllocationSizes() const { return false; }
    virtual std::size_t RequestedSize(const void*) const { return 0; }
    virtual std::size_t AllocatedSize(const void* ptr) const { return RequestedSize(ptr); }
    virtual std::int64_t AllocationId(const void*) const { return 0; }
    virtual std::optional<allocator_stats> GetStats() { return std::nullopt; }
    virtual bool ClearStats() { return false; }
};

// iree_hal_buffer_params_t and iree_hal_allocator_statistics_t of runtime/src/iree/hal/allocator.h.
struct buffer_params {
    std::uint64_t min_alignment = 0;
};
struct allocator_statistics {
    std::uint64_t device_bytes_peak = 0;
    std::uint64_t device_bytes_allocated = 0;
    std::uint64_t device_bytes_freed = 0;
};

// PJRT_Device_MemoryStats_Args of xla/pjrt/c/pjrt_c_api.h.
struct memory_stats_args {
    std::size_t struct_size = sizeof(memory_stats_args);
    std::int64_t bytes_in_use = 0;
    std::int64_t peak_bytes_in_use = 0;
    bool peak_bytes_in_use_is_set = false;
    std::int64_t num_allocs = 0;
    bool num_allocs_is_set = false;
    std::int64_t largest_alloc_size = 0;
    bool largest_alloc_size_is_set = false;
    std::int64_t bytes_limit = 0;
    bool bytes_limit_is_set = false;
    std::int64_t bytes_reserved = 0;
    bool bytes_reserved_is_set = false;
    std::int64_t peak_bytes_reserved = 0;
    bool peak_bytes_reserved_is_set = false;
    std::int64_t bytes_reservable_limit = 0;
    bool bytes_reservable_limit_is_set = false;
    std::int64_t largest_free_block_bytes = 0;
    bool largest_free_block_bytes_is_set = false;
    std::int64_t pool_bytes = 0;
    bool pool_bytes_is_set = false;
    std::int64_t peak_pool_bytes = 0;
    bool peak_pool_bytes_is_set = false;
};

}  // namespace

TEST_CASE("tsl_allocator: sizes, numbers and statistics from the side of XLA") {
    const memory_on_host host(64 * q);
    addressed<manager<best_fit>> memory{host.range()};
    adapters::tsl_allocator<allocator_interface, decltype(memory)> allocator{memory};
    allocator_interface& seen = allocator;
    void* const a = seen.AllocateRaw(64, 1000);
    void* const b = seen.AllocateRaw(4096, 513);
    REQUIRE((a != nullptr && b != nullptr));
    CHECK(reinterpret_cast<std::uintptr_t>(b) % 4096 == 0);
    CHECK(seen.RequestedSize(a) == 1000);
    CHECK(seen.AllocatedSize(a) == 1024);
    CHECK(seen.AllocationId(a) != seen.AllocationId(b));
    CHECK(seen.GetStats()->bytes_in_use == 2048);
    CHECK(seen.GetStats()->bytes_limit == 64 * q);
    CHECK(seen.AllocateRaw(64, 65 * q) == nullptr);
    seen.DeallocateRaw(a);
    seen.DeallocateRaw(a);  // without effect
    CHECK(seen.RequestedSize(a) == 0);
    CHECK(seen.GetStats()->bytes_in_use == 1024);
    CHECK(seen.ClearStats());
}

TEST_CASE("iree_allocator: a buffer, no room, and a host that is full") {
    const memory_on_host host(64 * q);
    addressed<manager<best_fit>> memory{host.range()};
    adapters::iree_allocator<decltype(memory)> allocator{memory};
    void* placed = nullptr;
    int host_status = 0;
    const auto allocate = [&](const buffer_params& params, std::uint64_t bytes) {
        return allocator.allocate_buffer(
            params, bytes,
            [&](void* data, std::uint64_t) {
                placed = data;
                return host_status;
            },
            [](const address_failure& failure) { return adapters::iree_code(failure.reason); },
            [](int status) { return status == 0; });
    };
    CHECK(allocate({.min_alignment = 2048}, 3000) == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(placed) % 2048 == 0);
    CHECK(allocate({}, 65 * q) == 8);
    CHECK(allocate({.min_alignment = 3}, 1) == 3);
    allocator_statistics figures;
    allocator.query_statistics(figures);
    CHECK(figures.device_bytes_allocated == 3072);
    CHECK(allocator.deallocate(placed));
    CHECK(!allocator.deallocate(placed));
    host_status = 14;
    CHECK(allocate({}, 64 * q) == 14);  // freed again
    host_status = 0;
    CHECK(allocate({}, 64 * q) == 0);
}

TEST_CASE("fill_memory_statistics: fields beyond the caller's struct stay as they are") {
    const memory_on_host host(64 * q);
    addressed<manager<best_fit>> memory{host.range()};
    REQUIRE(memory.allocate_fixed(1000));
    memory_stats_args args;
    adapters::fill_memory_statistics(args, memory.figures());
    CHECK(args.bytes_in_use == 1024);
    CHECK(args.bytes_limit == 64 * q);
    CHECK(args.bytes_limit_is_set);
    CHECK(args.peak_pool_bytes_is_set);
    memory_stats_args old{.struct_size = offsetof(memory_stats_args, num_allocs)};
    adapters::fill_memory_statistics(old, memory.figures());
    CHECK(old.peak_bytes_in_use == 1024);
    CHECK(!old.num_allocs_is_set);
}

TEST_CASE("prometheus_text: sizes, programs, tags and escapes") {
    manager<best_fit, evict_lru, never_donate, relieve_cheapest, no_device, growth_by_tag> memory{
        {.name = "small", .capacity = 100 * q}};
    REQUIRE(memory.load({.name = "p", .code = 4 * q, .scratch = q}));
    REQUIRE(memory.allocate(3 * q, "a \"tag\""));
    const std::string text = adapters::prometheus_text(memory, "TPU_0", &memory.events());
    for (const char* const line : {"# TYPE hbm_moves_total counter\n", "hbm_capacity_bytes{device=\"TPU_0\"} 51200\n",
                                   "hbm_program_bytes{device=\"TPU_0\",program=\"p\",part=\"code\"} 2048\n",
                                   "hbm_tag_bytes{device=\"TPU_0\",tag=\"a \\\"tag\\\"\",of=\"buffers\"} 1536\n",
                                   "hbm_steps_left{device=\"TPU_0\"} +Inf\n"})
        CHECK(text.find(line) != std::string::npos);
}

TEST_CASE("prometheus_file: writes when a request fails, and reports a path that cannot be written") {
    using watched =
        manager<best_fit, never_evict, never_donate, relieve_cheapest, no_device, adapters::prometheus_file>;
    const std::string path = "test_adapters.prom";
    watched memory{{.name = "small", .capacity = 100 * q}, {.events = adapters::prometheus_file{path}}};
    REQUIRE(!memory.allocate(101 * q));
    CHECK(memory.events().error().empty());
    std::FILE* const file = std::fopen(path.c_str(), "rb");
    REQUIRE(file != nullptr);
    std::fclose(file);
    std::remove(path.c_str());
    CHECK(!adapters::replace_file("no/such/folder/file.prom", "").empty());
}

}  // namespace hbm::test::adapters_tests
