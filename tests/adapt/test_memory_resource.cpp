#include <hbm/adapt/addressed.hpp>
#include <hbm/adapt/memory_resource.hpp>
#include <hbm/hbm.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>
#include <cstdint>
#include <map>
#include <memory_resource>
#include <new>
#include <string>
#include <vector>

namespace hbm::test::memory_resource_tests {

TEST_CASE("containers of the standard library live on a manager") {
    const memory_on_host host(1_MiB);
    addressed<manager<best_fit>> memory{host.range(), {.quantum = 64}};
    addressed_resource resource{memory};
    {
        std::pmr::vector<std::uint64_t> numbers{&resource};
        std::pmr::map<int, std::pmr::string> words{&resource};
        for (std::uint64_t i = 0; i < 1000; ++i) {
            numbers.push_back(i);
            words[static_cast<int>(i)] =
                "a string that is too long to be kept in the object itself: " + std::to_string(i);
        }
        for (std::uint64_t i = 0; i < 1000; i += 3) words.erase(static_cast<int>(i));
        for (std::uint64_t i = 0; i < 1000; ++i) {
            REQUIRE(numbers[i] == i);
            REQUIRE(words.contains(static_cast<int>(i)) == (i % 3 != 0));
        }
        CHECK(words[998].ends_with(": 998"));
        CHECK(memory.use().in_use() > 1000 * 8);
    }
    CHECK(memory.use().in_use() == 0);
    CHECK(memory.manager().free_bytes() == memory.capacity());
}

TEST_CASE("a container stays where it is while other buffers move") {
    const memory_on_host host(32 * 512);
    addressed<manager<bottom_reserve<compacting<best_fit>>>> memory{host.range()};
    addressed_resource resource{memory};
    std::vector<void*> others;
    for (int i = 0; i < 8; ++i) others.push_back(memory.allocate_or_null(512));
    std::pmr::vector<int> numbers(200, 5, &resource);
    for (int i = 0; i < 14; ++i) others.push_back(memory.allocate_or_null(512));
    for (std::size_t i = 0; i < others.size(); i += 2) REQUIRE(memory.deallocate(others[i]));
    const int* const before = numbers.data();
    CHECK(memory.compact(~std::uint64_t{0}).moved > 0);
    CHECK(numbers.data() == before);
    for (const int each : numbers) REQUIRE(each == 5);
}

TEST_CASE("what does not fit throws, and what is over-aligned does too") {
    const memory_on_host host(64 * 512, 64);
    addressed<manager<best_fit>> memory{host.range()};
    addressed_resource resource{memory};
    CHECK_THROWS_AS(static_cast<void>(resource.allocate(65 * 512)), std::bad_alloc);
    CHECK(memory.last_failure().reason == error::buffer_does_not_fit);
    std::size_t most = ~std::size_t{0};
    for (; most > 65 * 512; most /= 5) CHECK_THROWS_AS(static_cast<void>(resource.allocate(most)), std::bad_alloc);
    CHECK_THROWS_AS(static_cast<void>(resource.allocate(1, 128)), std::bad_alloc);
    CHECK(memory.last_failure().what == address_error::base_is_aligned_to_less);
    void* const none = resource.allocate(0);
    CHECK(none != nullptr);
    resource.deallocate(none, 0);
    resource.deallocate(none, 0);
    CHECK(memory.last_failure().what == address_error::not_live);
    CHECK(&resource.memory() == &memory);
    addressed_resource other{memory};
    CHECK(resource == resource);
    CHECK(!(resource == other));
}

}  // namespace hbm::test::memory_resource_tests
