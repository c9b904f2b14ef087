#include <hbm/adapt/address_words.hpp>
#include <hbm/adapt/addressed.hpp>
#include <hbm/adapt/mapped_range.hpp>
#include <hbm/events/statistics.hpp>
#include <hbm/explain/dump.hpp>
#include <hbm/explain/explain.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager/passes.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <adapt/memory_on_host.hpp>
#include <cstdint>
#include <cstring>
#include <manager/host_allocations.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace hbm::test::addressed_tests {

namespace {

using plain = addressed<manager<best_fit>>;
using moving = addressed<manager<bottom_reserve<compacting<best_fit>>>>;

static_assert(!plain::moves && moving::moves);
// Where nothing moves the manager inside is the user's own.
static_assert(std::is_same_v<plain::manager_type, manager<best_fit>>);
static_assert(!std::is_copy_constructible_v<plain> && std::is_move_constructible_v<plain>);
static_assert(!std::is_copy_constructible_v<moving> && std::is_move_assignable_v<moving>);

template <class Addressed>
concept can_pin = requires(Addressed memory, void* begin) {
    memory.pin(begin);
    memory.on_move(nullptr);
    memory.compact(0);
};
static_assert(can_pin<moving> && !can_pin<plain>);

std::byte* shifted(void* begin, std::ptrdiff_t bytes) {
    return static_cast<std::byte*>(begin) + bytes;
}

}  // namespace

TEST_CASE("pointers are given out and taken back") {
    const memory_on_host host(64 * 512);
    plain memory{host.range()};
    CHECK(memory.capacity() == 64 * 512);
    CHECK(memory.base() == host.range().base);
    const auto a = memory.allocate(1000, 64, "a");
    const auto b = memory.allocate(512);
    REQUIRE((a && b));
    std::memset(*a, 1, 1024);
    std::memset(*b, 2, 512);
    CHECK(*a != *b);
    CHECK(*memory.size_of(*a) == 1024);
    CHECK(*memory.size_of(*b) == 512);
    CHECK(memory.address_of(*memory.handle_of(*a)) == *a);
    CHECK(memory.address_of(buffer{}) == nullptr);
    const block_view first = *memory.manager().blocks().begin();
    CHECK(memory.manager().name_of(static_cast<tag>(first.owner)) == std::string("a"));
    CHECK(memory.deallocate(*a));
    CHECK(memory.deallocate(*b));
    CHECK(memory.manager().free_bytes() == memory.capacity());
    CHECK(memory.use().in_use() == 0);
}

TEST_CASE("a wrong pointer is an error in words and changes nothing") {
    const memory_on_host host(64 * 512);
    plain memory{host.range()};
    void* const held = memory.allocate_or_null(2048);
    void* const freed = memory.allocate_or_null(512);
    REQUIRE((held != nullptr && freed != nullptr));
    REQUIRE(memory.deallocate(freed));
    const manager<best_fit> before = memory.manager();
    const address_use used = memory.use();

    const auto what = [&](void* wrong) {
        const auto outcome = memory.deallocate(wrong);
        REQUIRE(!outcome);
        CHECK(memory.last_failure() == outcome.error());
        CHECK(!memory.size_of(wrong));
        CHECK(!memory.handle_of(wrong));
        CHECK(memory.size_of(wrong).error() == outcome.error());
        CHECK(!in_words(outcome.error()).empty());
        return outcome.error().what;
    };
    CHECK(what(nullptr) == address_error::null_pointer);
    CHECK(what(freed) == address_error::not_live);
    CHECK(what(shifted(held, 1)) == address_error::inside_a_buffer);
    CHECK(what(shifted(held, 512)) == address_error::inside_a_buffer);
    CHECK(what(shifted(held, 2047)) == address_error::inside_a_buffer);
    CHECK(what(shifted(freed, 5)) == address_error::not_live);
    CHECK(what(shifted(host.range().base, 64 * 512 - 1)) == address_error::not_live);
    CHECK(what(shifted(host.range().base, 64 * 512)) == address_error::outside);
    CHECK(what(shifted(host.range().base, -1)) == address_error::outside);
    CHECK(what(&memory) == address_error::outside);
    CHECK(what(reinterpret_cast<void*>(~std::uintptr_t{0})) == address_error::outside);
    CHECK(memory.manager() == before);
    CHECK(memory.use() == used);

    const auto inside = memory.deallocate(shifted(held, 700));
    CHECK(inside.error().reason == error::wrong_kind);
    CHECK(inside.error().begin == reinterpret_cast<std::uintptr_t>(held));
    CHECK(in_words(inside.error()).find("700 bytes inside a live buffer, the 2048 bytes") != std::string::npos);
    CHECK(memory.deallocate(freed).error().reason == error::stale_handle);
    address_failure freed_before = memory.last_failure();
    freed_before.address = 0xab0;
    CHECK(in_words(freed_before).find("at the address 0xab0: it was freed before") != std::string::npos);
    CHECK(memory.deallocate(&memory).error().reason == error::foreign_handle);
    CHECK(memory.deallocate(held));
}

TEST_CASE("addressed: a buffer of no bytes takes a quantum, and none is left beside a buffer of all") {
    const memory_on_host host(64 * 512);
    plain memory{host.range()};
    void* const none = memory.allocate_or_null(0);
    void* const another = memory.allocate_or_null(0);
    REQUIRE((none != nullptr && another != nullptr));
    CHECK(none != another);
    CHECK(*memory.size_of(none) == 512);
    CHECK(memory.deallocate(none));
    CHECK(memory.deallocate(another));
    void* const all = memory.allocate_or_null(64 * 512);
    REQUIRE(all == memory.base());
    CHECK(memory.allocate(0).error().reason == error::buffer_does_not_fit);
    CHECK(memory.deallocate(all));
}

TEST_CASE("an address has the alignment that was asked for, or the request is refused") {
    for (const std::uint64_t of_base : {16u, 64u, 512u, 2048u, 4096u, 65'536u}) {
        const memory_on_host host(256 * 1024, of_base);
        plain memory{host.range()};
        CHECK(memory.largest_alignment() == of_base);
        CHECK(memory.default_alignment() == (of_base < 512 ? of_base : 512));
        CHECK(memory.allocate(700, of_base));
        CHECK(reinterpret_cast<std::uintptr_t>(memory.allocate_or_null(1)) % memory.default_alignment() == 0);
        const auto refused = memory.allocate(700, 2 * of_base);
        REQUIRE(!refused);
        CHECK(refused.error().what == address_error::base_is_aligned_to_less);
        CHECK(refused.error().reason == error::bad_alignment);
        CHECK(refused.error().largest_alignment == of_base);
        CHECK(in_words(refused.error()).find("a multiple of " + std::to_string(of_base)) != std::string::npos);
        for (const std::uint64_t wrong : {std::uint64_t{3}, std::uint64_t{48}, ~std::uint64_t{0}}) {
            CHECK(memory.allocate(1, wrong).error().what == address_error::no_power_of_two);
            CHECK(memory.last_failure().alignment == wrong);
        }
    }
}

TEST_CASE("memory that cannot be used refuses every request with the reason") {
    plain nowhere{{nullptr, 1000}};
    CHECK(nowhere.allocate(1).error().reason == error::buffer_does_not_fit);
    CHECK(nowhere.allocate(1, 4096).error().reason == error::buffer_does_not_fit);
    CHECK(nowhere.deallocate(nullptr).error().what == address_error::null_pointer);
    const memory_on_host host(64 * 512);
    plain odd{host.range(), {.quantum = 500}};
    CHECK(odd.allocate(1).error().reason == error::bad_quantum);
    CHECK(in_words(odd.last_failure()).find("quantum") != std::string::npos);
    CHECK(odd.deallocate(odd.base()).error().what == address_error::outside);
    plain short_one{address_range{host.range().base, 511}};
    CHECK(short_one.capacity() == 0);
    CHECK(!short_one.allocate(1));
    plain part{host.range(), {.capacity = 1024, .quantum = 256}};
    CHECK(part.capacity() == 1024);
    plain no_more{host.range(), {.capacity = 1_TiB}};
    CHECK(no_more.capacity() == 64 * 512);
}

TEST_CASE("buffers move to make room, their bytes with them, and the owner is told") {
    const memory_on_host host(16 * 512);
    moving memory{host.range()};
    std::vector<unsigned char*> held;
    for (int i = 0; i < 16; ++i) {
        held.push_back(static_cast<unsigned char*>(memory.allocate_or_null(500)));
        REQUIRE(held.back() != nullptr);
        std::memset(held.back(), i, 512);
    }
    for (std::size_t i = 0; i < 16; i += 2) {
        REQUIRE(memory.deallocate(held[i]));
        held[i] = nullptr;
    }
    int told = 0;
    struct owner {
        std::vector<unsigned char*>& held;
        int& told;
    } context{held, told};
    memory.on_move(
        [](void* given, void* from, void* to, std::uint64_t bytes) {
            const owner& to_tell = *static_cast<owner*>(given);
            ++to_tell.told;
            CHECK(bytes == 512);
            for (unsigned char*& each : to_tell.held)
                if (each == from) return void(each = static_cast<unsigned char*>(to));
            FAIL("moved what nobody holds");
        },
        &context);
    void* const large = memory.allocate_or_null(8 * 512);
    REQUIRE(large != nullptr);
    CHECK(told > 0);
    CHECK(memory.manager().done_so_far().moves == static_cast<std::uint64_t>(told));
    for (std::size_t i = 1; i < 16; i += 2) {
        CHECK(*memory.size_of(held[i]) == 512);
        for (int at = 0; at < 512; ++at) REQUIRE(held[i][at] == i);
        CHECK(memory.deallocate(held[i]));
    }
    CHECK(memory.deallocate(large));
    CHECK(memory.manager().free_bytes() == memory.capacity());
}

TEST_CASE("what is fixed or pinned does not move, and is freed at once") {
    const memory_on_host host(16 * 512);
    moving memory{host.range()};
    std::vector<void*> held;
    for (int i = 0; i < 16; ++i) held.push_back(*memory.allocate_fixed(512));
    for (std::size_t i = 0; i < 16; i += 2) REQUIRE(memory.deallocate(held[i]));
    CHECK(memory.manager().free_bytes() == 8 * 512);
    CHECK(memory.allocate(1024).error().reason == error::buffer_does_not_fit);
    CHECK(memory.compact(~std::uint64_t{0}).moved == 0);
    CHECK(explain(memory.manager(), memory.last_failure()).find("pinned") != std::string::npos);
    CHECK(!to_text(dump(memory.manager(), memory.last_failure(), {})).empty());

    // Without its pin a buffer moves again.
    REQUIRE(memory.pin(held[1]));
    REQUIRE(memory.unpin(held[1]));
    REQUIRE(memory.unpin(held[1]));
    CHECK(memory.unpin(held[1]).error().reason == error::not_pinned);
    CHECK(memory.pin(shifted(held[1], 1)).error().what == address_error::inside_a_buffer);
    CHECK(memory.unpin(nullptr).error().what == address_error::null_pointer);
    CHECK(memory.allocate(1024));
    for (std::size_t i = 3; i < 16; i += 2) CHECK(memory.deallocate(held[i]));
}

TEST_CASE("compaction leaves no buffer in two places, whatever the budget") {
    const memory_on_host host(64 * 512);
    moving memory{host.range()};
    std::vector<void*> held;
    for (int i = 0; i < 8; ++i) held.push_back(memory.allocate_or_null(7 * 512));
    for (std::size_t i = 0; i < 8; i += 2) REQUIRE(memory.deallocate(held[i]));
    const compaction asked = memory.compact(0);
    CHECK(asked.moved == 0);
    CHECK(asked.remaining > 0);
    int calls = 0;
    for (compaction found = asked; !found.done(); ++calls) {
        found = memory.compact(1);
        CHECK(!memory.manager().moving());
        REQUIRE((found.moved != 0 || found.done()));
        REQUIRE(calls < 100);
    }
    CHECK(memory.manager().largest_free_bytes() == memory.manager().free_bytes());
}

TEST_CASE("a pass copies between addresses, and buffers have new ones when it ends") {
    const memory_on_host host(64 * 512);
    addressed<manager<compacting<best_fit>>> memory{host.range()};
    std::vector<void*> held;
    for (int i = 0; i < 10; ++i) held.push_back(memory.allocate_or_null(1000));
    for (std::size_t i = 0; i < 10; ++i) std::memset(held[i], static_cast<int>(i), 1000);
    for (std::size_t i = 0; i < 10; i += 2) REQUIRE(memory.deallocate(held[i]));
    const pass begun = memory.begin_pass(memory.capacity());
    REQUIRE(begun.size() == 3);
    std::vector<std::size_t> moving_buffers;
    for (const begun_move& move : begun)
        for (std::size_t i = 1; i < 10; i += 2)
            if (held[i] == memory.address_of(move.block)) moving_buffers.push_back(i);
    REQUIRE(moving_buffers.size() == 3);
    REQUIRE(memory.deallocate(held[moving_buffers[1]]));  // its bytes are still read
    for (const begun_move& move : begun)
        std::memcpy(shifted(memory.base(), static_cast<std::ptrdiff_t>(move.to)),
                    shifted(memory.base(), static_cast<std::ptrdiff_t>(move.from)), move.bytes);
    CHECK(*memory.end_pass(begun, {2}) == pass_result{.moved = 1024, .arrived = 1, .failed = 1, .stayed = 1});
    CHECK(memory.size_of(held[moving_buffers[0]]).error().what == address_error::not_live);
    CHECK(memory.size_of(held[moving_buffers[1]]).error().what == address_error::not_live);
    CHECK(*memory.size_of(held[moving_buffers[2]]) == 1024);
    void* const arrived = shifted(memory.base(), static_cast<std::ptrdiff_t>(begun.moves[0].to));
    CHECK(*memory.size_of(arrived) == 1024);
    CHECK(*shifted(arrived, 999) == static_cast<std::byte>(moving_buffers[0]));
    CHECK(memory.deallocate(arrived));
}

TEST_CASE("a pass may still read a buffer that a run donates") {
    const memory_on_host host(64 * 512);
    addressed<manager<compacting<best_fit>>> memory{host.range()};
    const program step = memory.manager().load({.name = "step", .code = 512}).value();
    void* const hole = memory.allocate_or_null(2048);
    void* const moved = memory.allocate_or_null(2048);
    std::memset(moved, 1, 2048);
    REQUIRE(memory.deallocate(hole));
    const pass begun = memory.begin_pass(memory.capacity());
    REQUIRE(begun.size() == 1);
    const std::vector<buffer> donated{*memory.handle_of(moved)};
    run_result ran;
    REQUIRE(memory.run(step, {.donated = donated}, ran));
    std::memcpy(shifted(memory.base(), static_cast<std::ptrdiff_t>(begun.moves[0].to)), moved, 2048);  // not poisoned
    CHECK(memory.end_pass(begun)->stayed == 1);
    CHECK(memory.size_of(moved).error().what == address_error::not_live);
}

/// A device of the user's own, which fails after so many copies.
struct failing_range {
    static constexpr fixed_string name{"failing_range"};
    address_range bytes = {};
    int* copies_left = nullptr;

    bool copy(std::uint64_t to, std::uint64_t from, std::uint64_t size) {
        if ((*copies_left)-- <= 0) return false;
        std::memmove(shifted(bytes.base, static_cast<std::ptrdiff_t>(to)),
                     shifted(bytes.base, static_cast<std::ptrdiff_t>(from)), size);
        return true;
    }
    friend bool operator==(const failing_range&, const failing_range&) = default;
};

TEST_CASE("a device of one's own copies, and when it fails nothing is lost") {
    using device_memory = addressed<
        manager<compacting<best_fit>, never_evict, never_donate, relieve_cheapest, failing_range, statistics>>;
    for (const bool freed_in_the_middle : {false, true}) {
        for (int copies = 0; copies < 8; ++copies) {  // a slide of eight quanta by one takes as many
            CAPTURE(freed_in_the_middle);
            CAPTURE(copies);
            int copies_left = copies;
            const memory_on_host host(10 * 512);
            address_range range = host.range();
            range.on_host = false;  // nothing is poisoned: the device is the only one that knows the bytes
            device_memory memory{range, {}, {.device = {range, &copies_left}}};
            void* const low = memory.allocate_or_null(512);
            auto* const high = static_cast<unsigned char*>(memory.allocate_or_null(8 * 512));
            REQUIRE((low != nullptr && high != nullptr));
            for (int at = 0; at < 8 * 512; ++at) high[at] = static_cast<unsigned char>(at / 100);
            REQUIRE(memory.deallocate(low));
            struct {
                void* from = nullptr;
                void* to = nullptr;
            } seen;
            memory.on_move(
                [](void* context, void* from, void* to, std::uint64_t) {
                    *static_cast<decltype(seen)*>(context) = {from, to};
                },
                &seen);
            CHECK(!memory.allocate(1024));
            CHECK(memory.last_failure().reason == error::device_failed);
            CHECK(seen.from == nullptr);
            CHECK(*memory.size_of(high) == 8 * 512);
            if (freed_in_the_middle) {
                CHECK(memory.deallocate(high));
                CHECK(memory.deallocate(high).error().what == address_error::not_live);
                CHECK(memory.manager().free_bytes() == memory.capacity());
                CHECK(memory.allocate(10 * 512));
                continue;
            }
            copies_left = 100;
            CHECK(memory.finish_moves());
            REQUIRE(memory.allocate(1024));
            REQUIRE(seen.from == high);
            CHECK(*memory.size_of(seen.to) == 8 * 512);
            int wrong = 0;
            for (int at = 0; at < 8 * 512; ++at)
                wrong += static_cast<unsigned char*>(seen.to)[at] != static_cast<unsigned char>(at / 100);
            CHECK(wrong == 0);
            // The user's own observer heard it all.
            REQUIRE(observer_in<statistics>(memory.manager().events()) != nullptr);
            CHECK(observer_in<statistics>(memory.manager().events())->num_allocs == 3);
        }
    }
}

TEST_CASE("addressed: a run fails until the interrupted move is finished") {
    using device_memory =
        addressed<manager<compacting<best_fit>, never_evict, donate_same_size, relieve_cheapest, failing_range>>;
    int copies_left = 3;
    const memory_on_host host(14 * 512);
    address_range range = host.range();
    range.on_host = false;
    device_memory memory{range, {}, {.device = {range, &copies_left}}};
    const auto step = memory.manager().load({.name = "step", .code = 4 * 512});
    void* const low = memory.allocate_or_null(512);
    void* const high = memory.allocate_or_null(8 * 512);
    REQUIRE((step && low != nullptr && high != nullptr));
    REQUIRE(memory.deallocate(low));
    CHECK_FALSE(memory.allocate(1024));
    REQUIRE(memory.last_failure().reason == error::device_failed);
    run_result ran;
    const auto refused = memory.run(*step, {}, ran);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().reason == error::device_failed);
    CHECK(memory.manager().issued() == fence{});
    copies_left = 100;
    REQUIRE(memory.run(*step, {}, ran));
    CHECK_FALSE(memory.size_of(high));  // the move is finished, so it begins elsewhere
}

TEST_CASE("the whole is moved as a value, with the pointers that it gave out") {
    auto mapped = mapped_range::map(64 * 512);
    REQUIRE(mapped);
    using owning = addressed<manager<compacting<first_fit>>, mapped_range>;
    owning first{std::move(*mapped)};
    void* const held = first.allocate_or_null(4000);
    REQUIRE(held != nullptr);
    owning second = std::move(first);
    std::memset(held, 1, 4096);
    CHECK(*second.size_of(held) == 4096);
    auto other = mapped_range::map(4096);
    REQUIRE(other);
    owning third{std::move(*other)};
    CHECK(third.allocate(1));
    third = std::move(second);
    CHECK(third.capacity() == 64 * 512);
    CHECK(third.deallocate(held));
}

TEST_CASE("figures are those of the memory") {
    const memory_on_host host(64 * 512);
    plain memory{host.range()};
    void* const a = memory.allocate_or_null(10 * 512);
    void* const b = memory.allocate_or_null(512);
    REQUIRE((a != nullptr && b != nullptr));
    REQUIRE(memory.deallocate(a));
    statistics found = memory.figures();
    CHECK(found.num_allocs == 2);
    CHECK(found.bytes_in_use == 512);
    CHECK(found.peak_bytes_in_use == 11 * 512);
    CHECK(found.largest_alloc_size == 10 * 512);
    CHECK(found.bytes_limit == 64 * 512);
    CHECK(found.largest_free_block_bytes == 53 * 512);
    memory.clear_peaks();
    found = memory.figures();
    CHECK(found.num_allocs == 0);
    CHECK(found.peak_bytes_in_use == 512);
    CHECK(found.largest_alloc_size == 0);

    // Programs count as bytes in use, so that the peak has them too.
    REQUIRE(memory.manager().load({.name = "p", .code = 20 * 512}));
    found = memory.figures();
    CHECK(found.bytes_in_use == 21 * 512);
    CHECK(found.peak_bytes_in_use == 21 * 512);
    CHECK(found.num_allocs == 0);
}

}  // namespace hbm::test::addressed_tests
