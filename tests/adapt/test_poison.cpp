#include <hbm/adapt/addressed.hpp>
#include <hbm/adapt/poison.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace hbm::test::poison_tests {

namespace {

/// Whether AddressSanitizer would report an access; `expected` where there is no sanitizer to ask.
bool poisoned([[maybe_unused]] const void* begin, [[maybe_unused]] std::ptrdiff_t at, [[maybe_unused]] bool expected) {
#ifdef ASAN_POISON_MEMORY_REGION
    return __asan_address_is_poisoned(static_cast<const std::byte*>(begin) + at) != 0;
#else
    return expected;
#endif
}

}  // namespace

TEST_CASE("under AddressSanitizer nobody may touch what nobody was given") {
    const memory_on_host host(16 * 512);
    void* const base = host.range().base;
    {
        addressed<manager<compacting<best_fit>>> memory{host.range()};
        CHECK(poisoned(base, 0, true));
        CHECK(poisoned(base, 16 * 512 - 1, true));
        void* const a = memory.allocate_or_null(1000);
        void* const b = memory.allocate_or_null(512);
        REQUIRE((a == base && b != nullptr));
        CHECK(!poisoned(a, 0, false));
        CHECK(!poisoned(b, 511, false));
        CHECK(poisoned(b, 512, true));
        REQUIRE(memory.deallocate(a));
        CHECK(poisoned(a, 0, true));
        CHECK(poisoned(a, 1023, true));
        CHECK(!poisoned(b, 0, false));
        // The second buffer moves to where the first was.
        static_cast<unsigned char*>(b)[511] = 3;
        REQUIRE(memory.compact(512).moved == 512);
        CHECK(!poisoned(base, 511, false));
        CHECK(static_cast<unsigned char*>(base)[511] == 3);
        CHECK(poisoned(base, 512, true));
        CHECK(poisoned(b, 0, true));
        auto moved = std::move(memory);
        CHECK(poisoned(b, 0, true));
        CHECK(!poisoned(base, 0, false));
    }
    CHECK(!poisoned(base, 0, false));
    CHECK(!poisoned(base, 16 * 512 - 1, false));
}

TEST_CASE("what a power of two adds to a grant is poisoned, also after a move") {
    const memory_on_host host(16 * 512);
    addressed<manager<compacting<buddy>>> memory{host.range()};
    void* const first = memory.allocate_or_null(4 * 512);
    void* const second = memory.allocate_or_null(3 * 512);
    REQUIRE((first == memory.base() && second != nullptr));
    CHECK(!poisoned(second, 3 * 512 - 1, false));
    CHECK(poisoned(second, 3 * 512, true));
    REQUIRE(memory.deallocate(first));
    while (!memory.compact(~std::uint64_t{0}).done()) {
    }
    CHECK(memory.size_of(first).value_or(0) == 3 * 512);
    CHECK(!poisoned(first, 3 * 512 - 1, false));
    CHECK(poisoned(first, 3 * 512, true));
}

}  // namespace hbm::test::poison_tests
