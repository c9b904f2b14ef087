#include <hbm/adapt/addressed.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>
#include <cstddef>
#include <cstdint>
#include <manager/host_allocations.hpp>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "adapters/tsl_allocator.hpp"

namespace hbm::test::tsl_allocator_tests {

namespace {

// A stand-in for tsl::AllocatorStats and tsl::Allocator of xla/tsl/framework/allocator.h in openxla/xla: the names and
// signatures of the virtual functions, and which of them are pure.
struct allocation_attributes {};

struct allocator_stats {
    std::int64_t num_allocs = 0;
    std::int64_t bytes_in_use = 0;
    std::int64_t peak_bytes_in_use = 0;
    std::int64_t largest_alloc_size = 0;
    std::optional<std::int64_t> bytes_limit;
    std::int64_t bytes_reserved = 0;
    std::int64_t peak_bytes_reserved = 0;
    std::optional<std::int64_t> bytes_reservable_limit;
    std::int64_t largest_free_block_bytes = 0;
    std::optional<std::int64_t> pool_bytes;
    std::optional<std::int64_t> peak_pool_bytes;
};

class allocator_interface {
public:
    virtual ~allocator_interface() = default;
    virtual std::string Name() = 0;
    virtual void* AllocateRaw(std::size_t alignment, std::size_t num_bytes) = 0;
    virtual void* AllocateRaw(std::size_t alignment, std::size_t num_bytes, const allocation_attributes&) {
        return AllocateRaw(alignment, num_bytes);
    }
    virtual void DeallocateRaw(void* ptr) = 0;
    virtual void DeallocateRaw(void* ptr, std::size_t, std::size_t) { DeallocateRaw(ptr); }
    virtual bool TracksAllocationSizes() const { return false; }
    virtual std::size_t RequestedSize(const void*) const { return 0; }
    virtual std::size_t AllocatedSize(const void* ptr) const { return RequestedSize(ptr); }
    virtual std::int64_t AllocationId(const void*) const { return 0; }
    virtual std::optional<allocator_stats> GetStats() { return std::nullopt; }
    [[nodiscard]] virtual bool ClearStats() { return false; }
};

}  // namespace

TEST_CASE("the interface of XLA's allocators, from the side of its callers") {
    const memory_on_host host(64 * 512);
    addressed<manager<best_fit>> memory{host.range()};
    tsl_allocator<allocator_interface, decltype(memory), std::mutex> allocator{memory, "hbm_on_device_0"};
    allocator_interface& seen = allocator;
    CHECK(seen.Name() == "hbm_on_device_0");
    CHECK(seen.TracksAllocationSizes());

    void* const a = seen.AllocateRaw(64, 1000);
    void* const b = seen.AllocateRaw(4096, 513, allocation_attributes{});
    REQUIRE((a != nullptr && b != nullptr));
    CHECK(reinterpret_cast<std::uintptr_t>(b) % 4096 == 0);
    CHECK(seen.RequestedSize(a) == 1000);
    CHECK(seen.AllocatedSize(a) == 1024);
    CHECK(seen.RequestedSize(b) == 513);
    CHECK(seen.AllocatedSize(b) == 1024);
    CHECK(seen.AllocationId(a) != 0);
    CHECK(seen.AllocationId(a) != seen.AllocationId(b));

    seen.DeallocateRaw(a, 64, 1000);
    CHECK(seen.RequestedSize(a) == 0);
    CHECK(seen.AllocatedSize(a) == 0);
    CHECK(seen.AllocationId(a) == 0);
    seen.DeallocateRaw(a);
    CHECK(memory.last_failure().what == address_trouble::not_live);
    seen.DeallocateRaw(nullptr);
    CHECK(seen.AllocateRaw(64, ~std::size_t{0}) == nullptr);
    CHECK(seen.AllocateRaw(64, 65 * 512) == nullptr);
    CHECK(seen.AllocateRaw(3, 1) == nullptr);
    CHECK(memory.last_failure().what == address_trouble::no_power_of_two);
    void* const none = seen.AllocateRaw(64, 0);
    CHECK(none != nullptr);
    CHECK(seen.RequestedSize(none) == 0);
    CHECK(seen.AllocatedSize(none) == 512);
    seen.DeallocateRaw(none);

    const std::optional<allocator_stats> stats = seen.GetStats();
    REQUIRE(stats);
    CHECK(stats->num_allocs == 3);
    CHECK(stats->bytes_in_use == 1024);
    CHECK(stats->peak_bytes_in_use == 2048);
    CHECK(stats->largest_alloc_size == 1024);
    CHECK(stats->bytes_limit == 64 * 512);
    CHECK(stats->pool_bytes == 64 * 512);
    CHECK(stats->largest_free_block_bytes == static_cast<std::int64_t>(memory.manager().largest_free_bytes()));
    CHECK(seen.ClearStats());
    CHECK(seen.GetStats()->num_allocs == 0);
    CHECK(seen.GetStats()->peak_bytes_in_use == 1024);
    CHECK(seen.GetStats()->largest_alloc_size == 0);
}

TEST_CASE("an allocation has its identifier alone, and stays where it is") {
    const memory_on_host host(64 * 512);
    addressed<manager<compacting<best_fit>>> memory{host.range()};
    tsl_allocator<allocator_interface, decltype(memory)> allocator{memory};
    std::set<std::int64_t> seen;
    std::vector<void*> held;
    for (int round = 0; round < 300; ++round) {
        if (void* const made = allocator.AllocateRaw(64, static_cast<std::size_t>(round % 7) * 400)) {
            REQUIRE(allocator.AllocationId(made) > 0);
            REQUIRE(seen.insert(allocator.AllocationId(made)).second);
            held.push_back(made);
        }
        if (round % 3 != 0 || held.size() > 12) {
            const std::size_t at = static_cast<std::size_t>(round * 7) % held.size();
            allocator.DeallocateRaw(held[at]);
            held[at] = held.back();
            held.pop_back();
        }
    }
    CHECK(memory.compact(~std::uint64_t{0}).moved == 0);
    CHECK(memory.manager().done_so_far().moves == 0);
}

TEST_CASE("after reserve_metadata the interface does not ask the host") {
    const memory_on_host host(1_MiB);
    addressed<manager<bottom_reserve<compacting<best_fit>>>> memory{host.range(), {.quantum = 64}};
    tsl_allocator<allocator_interface, decltype(memory)> allocator{memory};
    allocator.reserve_metadata(200);
    std::vector<void*> held(200);
    const std::size_t before = host_allocations();
    for (int round = 0; round < 20; ++round) {
        for (std::size_t at = 0; at < 200; ++at) held[at] = allocator.AllocateRaw(64, at * 13);
        for (std::size_t at = 0; at < 200; at += 2) allocator.DeallocateRaw(held[at]);
        for (std::size_t at = 1; at < 200; at += 2) allocator.DeallocateRaw(held[at]);
    }
    CHECK(host_allocations() == before);
    CHECK(memory.use().in_use() == 0);
}

}  // namespace hbm::test::tsl_allocator_tests
