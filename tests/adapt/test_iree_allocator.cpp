#include <hbm/adapt/addressed.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>
#include <cstdint>
#include <mutex>

#include "adapters/iree_allocator.hpp"

namespace hbm::test::iree_allocator_tests {

namespace {

// Stand-ins for runtime/src/iree/hal/allocator.h and hal/buffer.h in iree-org/iree: the fields of
// iree_hal_buffer_params_t and iree_hal_allocator_statistics_t (with and without IREE_STATISTICS_ENABLE), the
// functions of iree_hal_allocator_vtable_t that matter here, and the release callback of a buffer. A status is a number
// here, a code in its lowest bits there.
struct buffer_params {
    std::uint32_t usage = 0;
    std::uint16_t access = 0;
    std::uint32_t type = 0;
    std::uint64_t queue_affinity = 0;
    std::uint64_t min_alignment = 0;
};
struct allocator_statistics {
    std::uint64_t host_bytes_peak;
    std::uint64_t host_bytes_allocated;
    std::uint64_t host_bytes_freed;
    std::uint64_t device_bytes_peak;
    std::uint64_t device_bytes_allocated;
    std::uint64_t device_bytes_freed;
};
struct no_allocator_statistics {
    int reserved;
};
struct hal_buffer {
    void (*release)(void* user_data, hal_buffer* buffer) = nullptr;
    void* user_data = nullptr;
    void* data = nullptr;
    std::uint64_t bytes = 0;
};
struct hal_allocator;
struct allocator_vtable {
    int (*allocate_buffer)(hal_allocator*, const buffer_params*, std::uint64_t, hal_buffer**);
    void (*deallocate_buffer)(hal_allocator*, hal_buffer*);
    void (*query_statistics)(hal_allocator*, allocator_statistics*);
};
struct hal_allocator {
    const allocator_vtable* vtable;
};

/// What a runtime engineer writes: an allocator of IREE's kind on a manager.
using device_memory = addressed<manager<bottom_reserve<compacting<best_fit>>>>;
struct hbm_allocator : hal_allocator {
    explicit hbm_allocator(device_memory& memory);
    iree_allocator<device_memory, std::mutex> hbm;
    bool host_is_full = false;
};

int allocate_buffer(hal_allocator* base, const buffer_params* params, std::uint64_t bytes, hal_buffer** out_buffer) {
    auto* const self = static_cast<hbm_allocator*>(base);
    const auto release = [](void* user_data, hal_buffer* released) {
        static_cast<hbm_allocator*>(user_data)->hbm.deallocate(released->data);
        delete released;
    };
    return self->hbm.allocate_buffer(
        *params, bytes,
        [&](void* data, std::uint64_t size) {
            if (self->host_is_full) return 14;
            *out_buffer = new hal_buffer{release, self, data, size};
            return 0;
        },
        [](const address_failure& why) { return iree_code(why.reason); }, [](int status) { return status == 0; });
}
void deallocate_buffer(hal_allocator*, hal_buffer* freed) {
    freed->release(freed->user_data, freed);
}
void query_statistics(hal_allocator* base, allocator_statistics* found) {
    static_cast<hbm_allocator*>(base)->hbm.query_statistics(found);
}
constexpr allocator_vtable functions{allocate_buffer, deallocate_buffer, query_statistics};

hbm_allocator::hbm_allocator(device_memory& memory) : hal_allocator{&functions}, hbm(memory) {}

}  // namespace

TEST_CASE("the allocator interface of IREE, from the side of its callers") {
    const memory_on_host host(64 * 512);
    device_memory memory{host.range()};
    hbm_allocator allocator{memory};
    hal_allocator* const seen = &allocator;

    hal_buffer* a = nullptr;
    hal_buffer* b = nullptr;
    buffer_params params;
    REQUIRE(seen->vtable->allocate_buffer(seen, &params, 1000, &a) == 0);
    params.min_alignment = 2048;
    REQUIRE(seen->vtable->allocate_buffer(seen, &params, 3000, &b) == 0);
    CHECK(a->bytes == 1000);
    CHECK(reinterpret_cast<std::uintptr_t>(b->data) % 2048 == 0);
    CHECK(*memory.size_of(b->data) == 3072);

    allocator_statistics found{1, 1, 1, 1, 1, 1};
    seen->vtable->query_statistics(seen, &found);
    CHECK(found.host_bytes_peak == 0);
    CHECK(found.device_bytes_peak == 4096);
    CHECK(found.device_bytes_allocated == 4096);
    CHECK(found.device_bytes_freed == 0);

    hal_buffer* none = nullptr;
    CHECK(seen->vtable->allocate_buffer(seen, &params, 65 * 512, &none) == 8);
    CHECK(seen->vtable->allocate_buffer(seen, &params, ~std::uint64_t{0}, &none) == 8);
    params.min_alignment = 3;
    CHECK(seen->vtable->allocate_buffer(seen, &params, 1, &none) == 3);
    CHECK(none == nullptr);

    // When the host has no memory for the buffer object, the device's memory is free again.
    params = {};
    allocator.host_is_full = true;
    CHECK(seen->vtable->allocate_buffer(seen, &params, 512, &none) == 14);
    CHECK(memory.use().in_use() == 4096);
    allocator.host_is_full = false;

    seen->vtable->deallocate_buffer(seen, a);
    seen->vtable->deallocate_buffer(seen, b);
    seen->vtable->query_statistics(seen, &found);
    CHECK(found.device_bytes_allocated == 4096 + 512);
    CHECK(found.device_bytes_freed == 4096 + 512);
    CHECK(found.device_bytes_peak == 4096 + 512);
    CHECK(memory.manager().free_bytes() == memory.capacity());
}

TEST_CASE("a wrong pointer is refused, and statistics may be compiled out") {
    const memory_on_host host(64 * 512);
    device_memory memory{host.range()};
    iree_allocator<device_memory> allocator{memory};
    CHECK(!allocator.deallocate(nullptr));
    CHECK(!allocator.deallocate(memory.base()));
    CHECK(memory.last_failure().what == address_trouble::not_live);
    no_allocator_statistics none{7};
    allocator.query_statistics(&none);
    CHECK(none.reserved == 7);
    CHECK(iree_code(error::none) == 0);
    CHECK(iree_code(error::device_failed) == 13);
}

}  // namespace hbm::test::iree_allocator_tests
