#include <hbm/adapt/guarded.hpp>
#include <hbm/adapt/memory_resource.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/good_fit.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <testing/seeds.hpp>
#include <vector>

namespace hbm::test::guarded_tests {

namespace {

using memory_type = addressed<manager<best_fit>>;

/// Writes a byte that is not the caller's. AddressSanitizer would end the program at it, which is not the test.
[[gnu::noinline, gnu::no_sanitize_address]] void write_by_mistake(void* begin, std::ptrdiff_t at) {
    *(static_cast<volatile unsigned char*>(begin) + at) = 7;
}

}  // namespace

TEST_CASE("guarded: names the buffer, the byte and the kind of each misuse, once") {
    const memory_on_host host(64 * 512);
    memory_type memory{host.range(), {.quantum = 512}};
    guarded guard{memory};
    REQUIRE(guard.allocate(100));
    void* const held = *guard.allocate(1000, 0, "weights");
    CHECK(guard.size_of(held).value_or(0) == 1000);
    CHECK(guard.check());
    CHECK(guard.first() == misused_buffer{});

    struct mistake {
        std::ptrdiff_t at;
        misuse what;
    };
    std::uint64_t count = 0;
    for (const mistake& planted : {mistake{-1, misuse::written_before},
                                   {-512, misuse::written_before},
                                   {1000, misuse::written_behind},
                                   {1535, misuse::written_behind}}) {
        CAPTURE(planted.at);
        guarded other{memory};
        void* const begin = other.allocate_or_null(1000);
        write_by_mistake(begin, planted.at);
        CHECK_FALSE(other.check());
        CHECK(other.first() == misused_buffer{planted.what, begin, 1000, planted.at, 1, tag::none});
        CHECK_FALSE(other.check());
        CHECK(other.count() == 1);
        CHECK(other.deallocate(begin));
        CHECK(other.count() == 1);
    }

    write_by_mistake(held, 1001);
    REQUIRE(guard.deallocate(held));
    CHECK(guard.count() == ++count);
    CHECK(guard.first().what == misuse::written_behind);
    CHECK(guard.first().at == 1001);
    CHECK(guard.first().allocation == 2);
    CHECK(std::string(memory.manager().name_of(guard.first().label)) == "weights");
    CHECK(std::string(in_words(guard.first().what)) == "bytes behind a buffer were written");

    const address_result<done> again = guard.deallocate(held);
    REQUIRE_FALSE(again);
    CHECK(again.error().what == address_error::not_live);
    CHECK(guard.count() == ++count);

    write_by_mistake(held, 999);
    CHECK_FALSE(guard.check());
    CHECK(guard.count() == ++count);
}

TEST_CASE("guarded: a write after a free is found when the buffer leaves the quarantine") {
    const memory_on_host host(64 * 512);
    memory_type memory{host.range(), {.quantum = 512}};
    guarded guard{memory, {.zone = 16, .quarantine = 3000}};
    void* const first = guard.allocate_or_null(512);
    void* const second = guard.allocate_or_null(512);
    REQUIRE(guard.deallocate(first));
    const std::uint64_t held = guard.quarantined_bytes();
    CHECK(held >= 512 + 2 * 16);
    write_by_mistake(first, 511);
    CHECK(guard.first().what == misuse::none);
    REQUIRE(guard.deallocate(second));
    CHECK(guard.quarantined_bytes() == held);
    CHECK(guard.first() == misused_buffer{misuse::written_after_free, first, 512, 511, 1, tag::none});
}

TEST_CASE("guarded: gives the quarantine back before an allocation fails, and all of it at the end") {
    const memory_on_host host(16 * 512);
    memory_type memory{host.range(), {.quantum = 512}};
    {
        guarded guard{memory, {.zone = 512, .quarantine = 1 << 20}};
        for (int count = 0; count < 100; ++count) {
            void* const begin = guard.allocate_or_null(5 * 512);
            REQUIRE(begin != nullptr);
            REQUIRE(guard.deallocate(begin));
        }
        CHECK(guard.quarantined_bytes() == 2 * 7 * 512);
        CHECK_FALSE(guard.allocate(16 * 512));
        CHECK_FALSE(guard.allocate(~std::uint64_t{0}));
        CHECK_FALSE(guard.allocate(1, 3));
        CHECK(guard.check());
    }
    CHECK(memory.use().in_use() == 0);
}

TEST_CASE("guarded: refuses pointers that it did not return, and frees nothing") {
    const memory_on_host host(64 * 512);
    memory_type memory{host.range(), {.quantum = 512}};
    guarded guard{memory};
    auto* const begin = static_cast<std::byte*>(guard.allocate_or_null(512));
    for (const auto& [given, reason] : std::map<void*, address_error>{
             {nullptr, address_error::null_pointer},
             {begin + 1, address_error::inside_a_buffer},
             {host.range().base, address_error::not_live},  // in the zone before it
             {begin + 512, address_error::not_live},        // in the zone behind it
             {static_cast<std::byte*>(host.range().base) + 60 * 512, address_error::not_live},
             {static_cast<std::byte*>(host.range().base) - 1, address_error::outside}}) {
        const address_result<done> outcome = guard.deallocate(given);
        REQUIRE_FALSE(outcome);
        CHECK(outcome.error().what == reason);
        CHECK_FALSE(guard.size_of(given));
    }
    CHECK(guard.count() == 0);
    CHECK(guard.size_of(begin));

    // A failure names the buffer as its owner knows it, and none once it is in quarantine.
    const address_failure inside = guard.size_of(begin + 16).error();
    CHECK(inside.begin == reinterpret_cast<std::uintptr_t>(begin));
    CHECK(inside.size == 512);
    REQUIRE(guard.deallocate(begin));
    CHECK(guard.size_of(begin + 16).error().what == address_error::not_live);
    CHECK(guard.size_of(begin + 16).error().reason == error::stale_handle);
}

TEST_CASE("guarded: random buffers keep alignment and contents, and no misuse is found") {
    const memory_on_host host(4096 * 512);
    addressed<manager<good_fit>> memory{host.range(), {.quantum = 512}};
    guarded guard{memory, {.zone = 32, .quarantine = 100'000}};
    struct held {
        unsigned char* begin;
        std::uint64_t bytes;
        unsigned char fill;
    };
    std::vector<held> live;
    testing::random_numbers random(2611);
    for (int round = 0; round < 5000; ++round) {
        if (live.size() < 40 && random.below(2) == 0) {
            const std::uint64_t bytes = random.below(20'000);
            const std::uint64_t alignment = std::uint64_t{1} << random.below(13);
            auto* const begin = static_cast<unsigned char*>(guard.allocate_or_null(bytes, alignment));
            if (begin == nullptr) continue;
            CHECK(reinterpret_cast<std::uintptr_t>(begin) % alignment == 0);
            CHECK(reinterpret_cast<std::uintptr_t>(begin) % 512 == 0);
            live.push_back({begin, bytes, static_cast<unsigned char>(round)});
            for (std::uint64_t at = 0; at < bytes; ++at) begin[at] = live.back().fill;
        } else if (!live.empty()) {
            const std::size_t which = random.below(live.size());
            const held freed = live[which];
            bool is_whole = true;
            for (std::uint64_t at = 0; at < freed.bytes; ++at) is_whole = is_whole && freed.begin[at] == freed.fill;
            CHECK(is_whole);
            REQUIRE(guard.deallocate(freed.begin));
            live[which] = live.back();
            live.pop_back();
        }
    }
    CHECK(guard.check());
    CHECK(guard.quarantined_bytes() <= 100'000);
}

TEST_CASE("guarded: serves containers through a memory resource") {
    const memory_on_host host(256 * 512);
    memory_type memory{host.range(), {.quantum = 512}};
    guarded guard{memory};
    addressed_resource resource{guard};
    {
        std::pmr::vector<int> numbers(&resource);
        for (int number = 0; number < 1000; ++number) numbers.push_back(number);
        write_by_mistake(numbers.data() + numbers.capacity(), 0);
    }
    CHECK(guard.count() == 1);
    CHECK(guard.first().what == misuse::written_behind);
}

}  // namespace hbm::test::guarded_tests
