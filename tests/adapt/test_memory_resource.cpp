#include <hbm/adapt/memory_resource.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <new>
#include <string>
#include <support/managers.hpp>
#include <vector>

namespace hbm::test::memory_resource_tests {
namespace {

constexpr std::uint64_t q = 512;

/// Bytes whose address is a multiple of 64, and of no larger power of two.
struct host_bytes {
    alignas(128) std::byte all[64 + 64 * q];
    std::byte* base = all + 64;
};

}  // namespace

TEST_CASE("containers of the standard library live on a manager") {
    alignas(64) static std::byte bytes[1_MiB];
    manager<best_fit> memory({.capacity = sizeof bytes, .quantum = 64});
    addressed_resource resource{memory, bytes};
    {
        std::pmr::vector<std::uint64_t> numbers{&resource};
        std::pmr::map<int, std::pmr::string> words{&resource};
        for (std::uint64_t i = 0; i < 1000; ++i) {
            numbers.push_back(i);
            words[static_cast<int>(i)] = "a string that is too long to be kept in the object: " + std::to_string(i);
        }
        for (int i = 0; i < 1000; i += 3) words.erase(i);
        for (std::uint64_t i = 0; i < 1000; ++i) {
            REQUIRE(numbers[i] == i);
            REQUIRE(words.contains(static_cast<int>(i)) == (i % 3 != 0));
        }
        CHECK(words[998].ends_with(": 998"));
        CHECK(memory.live_bytes() > 1000 * 8);
    }
    CHECK(memory.live_bytes() == 0);
    CHECK(resource.last_failure().reason == error::none);
}

TEST_CASE("what does not fit throws, and so does what the base cannot be aligned to") {
    host_bytes host;
    manager<best_fit> memory({.capacity = 64 * q});
    addressed_resource resource{memory, host.base};
    CHECK_THROWS_AS(static_cast<void>(resource.allocate(65 * q)), std::bad_alloc);
    CHECK(resource.last_failure().reason == error::buffer_does_not_fit);
    CHECK_THROWS_AS(static_cast<void>(resource.allocate(1, 128)), std::bad_alloc);
    CHECK(resource.last_failure().reason == error::bad_alignment);

    void* const none = resource.allocate(0);
    CHECK(none == host.base);
    resource.deallocate(none, 0);
    resource.deallocate(none, 0);
    CHECK(resource.last_failure().reason == error::stale_handle);
    CHECK(memory.live_bytes() == 0);
    addressed_resource other{memory, host.base};
    CHECK(resource == resource);
    CHECK_FALSE(resource == other);
}

TEST_CASE("a wrong pointer is an error and changes nothing") {
    host_bytes host;
    manager<best_fit> memory({.capacity = 64 * q});
    addressed pointers{memory, host.base};
    void* const held = pointers.allocate(2 * q).value();
    void* const freed = pointers.allocate(q).value();
    REQUIRE(pointers.deallocate(freed));

    const auto before = memory;
    CHECK(pointers.deallocate(nullptr).error().reason == error::foreign_handle);
    CHECK(pointers.deallocate(host.base - 1).error().reason == error::foreign_handle);
    CHECK(pointers.deallocate(host.base + 64 * q).error().reason == error::foreign_handle);
    CHECK(pointers.deallocate(host.base + q).error().reason == error::stale_handle);
    CHECK(pointers.deallocate(host.base + 1).error().reason == error::stale_handle);
    CHECK(pointers.deallocate(freed).error().reason == error::stale_handle);
    CHECK(pointers.release(freed).error().reason == error::stale_handle);
    CHECK(pointers.allocate(q, 24).error().reason == error::bad_alignment);
    CHECK(memory == before);
    CHECK(pointers.deallocate(held));
}

TEST_CASE("a buffer that was freed by its handle has no pointer") {
    host_bytes host;
    manager<best_fit> memory({.capacity = 64 * q});
    addressed pointers{memory, host.base};
    void* const first = pointers.allocate(q).value();
    REQUIRE(memory.free(pointers.handle_of(first).value()));
    CHECK(pointers.deallocate(first).error().reason == error::stale_handle);
    // The address goes to another buffer.
    memory.sync();
    void* const second = pointers.allocate(q).value();
    CHECK(second == first);
    CHECK(pointers.deallocate(second));
    CHECK(memory.live_bytes() == 0);
}

TEST_CASE("a buffer with a pointer stays, and may move once the pointer is released") {
    host_bytes host;
    manager<compacting<best_fit>> memory({.capacity = 64 * q});
    addressed pointers{memory, host.base};
    void* const batch = pointers.allocate(16 * q).value();
    void* const cache = pointers.allocate(16 * q, 64, "cache").value();
    REQUIRE(pointers.deallocate(batch));

    CHECK_FALSE(pointers.allocate(48 * q));
    const buffer movable = pointers.release(cache).value();
    void* const large = pointers.allocate(48 * q).value();
    void* const moved = pointers.pointer_to(movable).value();
    CHECK(moved != cache);
    CHECK(pointers.pointer_to(movable).value() == moved);
    CHECK(memory.pins(movable) == 1);
    CHECK(pointers.deallocate(large));
    CHECK(pointers.deallocate(moved));
}

TEST_CASE("an output that takes over a donated buffer has its address") {
    host_bytes host;
    manager<best_fit, never_evict, donate_same_size> memory({.capacity = 64 * q});
    addressed pointers{memory, host.base};
    const program step = memory.load({.name = "step", .code = q}).value();
    void* const weights = pointers.allocate(4 * q).value();
    const buffer donor = pointers.release(weights).value();
    const run_result ran = memory.run(step, {.donated = {donor}, .outputs = {4 * q}}).value();
    CHECK(pointers.pointer_to(ran.outputs[0]).value() == weights);
    CHECK(pointers.deallocate(weights));
}

}  // namespace hbm::test::memory_resource_tests
