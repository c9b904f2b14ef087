// Capacities, widths and sizes at their limits.
#include <hbm/hbm.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/good_fit.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cstdint>
#include <limits>
#include <support/managers.hpp>

namespace hbm::test::capacity_tests {

constexpr std::uint64_t most = ~std::uint64_t{0};

template <class Memory>
error reason(Memory& memory, const request& asked) {
    const auto made = memory.allocate(asked);
    return made ? error::none : made.error().reason;
}

TEST_CASE("a capacity beyond the width, or a quantum that is no power of two, is an error of every request") {
    for (const memory_spec& spec :
         {memory_spec{.capacity = std::uint64_t{1} << 41}, memory_spec{.capacity = most, .quantum = 1},
          memory_spec{.capacity = 4096, .quantum = 768}, memory_spec{.capacity = 4096, .quantum = 0},
          memory_spec{.capacity = 4096, .top_reserved = 4097}}) {
        manager<best_fit> memory{spec};
        const error expected = spec.top_reserved != 0               ? error::top_too_large
                               : !std::has_single_bit(spec.quantum) ? error::bad_quantum
                                                                    : error::too_many_quanta;
        CHECK(memory.unusable() == expected);
        CHECK(reason(memory, {.bytes = 1}) == expected);
        CHECK(memory.load({.name = "p", .code = 1}).error().reason == expected);
        CHECK(memory.import({0, 512}).error().reason == expected);
        CHECK(memory.fork().allocate(1).error().reason == expected);
        CHECK_FALSE(memory.extend(8192));
        CHECK(memory.capacity_bytes() == 0);
    }
    manager<basic_best_fit<std::uint64_t>> wide{{.capacity = std::uint64_t{1} << 41}};
    CHECK(wide.unusable() == error::none);
    CHECK(wide.allocate(std::uint64_t{1} << 41));
    manager<best_fit> just{{.capacity = 0xffffffffull * 512}};
    CHECK(just.allocate(0xffffffffull * 512));
}

TEST_CASE("a size below zero is told as such, and other signed sizes are sizes") {
    manager<best_fit> memory{{.capacity = 10 * 512}};
    for (const int bytes : {-1, -512, std::numeric_limits<int>::min()}) {
        CHECK(memory.allocate(bytes).error().reason == error::negative_size);
        CHECK(memory.allocate(bytes, "named").error().reason == error::negative_size);
    }
    CHECK(memory.allocate(std::int64_t{-1}).error().reason == error::negative_size);
    CHECK(memory.allocate(static_cast<signed char>(-1)).error().reason == error::negative_size);
    CHECK(memory.live_bytes() == 0);
    const auto held = memory.allocate(1024, "named");
    REQUIRE(held);
    CHECK(memory.granted(*held) == 1024);
    CHECK(memory.granted(*memory.allocate(std::int64_t{512})) == 512);
}

TEST_CASE("hostile sizes have defined results and change nothing") {
    manager<best_fit> memory{{.capacity = 10 * 512 + 511}};  // rounded down to the quantum
    CHECK(memory.capacity_bytes() == 5120);
    const auto before = memory;
    CHECK(reason(memory, {.bytes = 5121}) == error::buffer_does_not_fit);
    CHECK(reason(memory, {.bytes = most}) == error::size_too_large);
    CHECK(reason(memory, {.bytes = most - 100}) == error::size_too_large);
    CHECK(reason(memory, {.bytes = most / 2}) == error::size_too_large);
    CHECK(reason(memory, {.bytes = 1, .alignment = most}) == error::bad_alignment);
    CHECK(reason(memory, {.bytes = 1, .alignment = std::uint64_t{1} << 63}) == error::size_too_large);
    CHECK(memory.load({.name = "p", .code = most}).error().reason == error::size_too_large);
    CHECK(memory.load({.name = "p", .code = 1, .scratch = most}).error().reason == error::size_too_large);
    CHECK(memory.load({.name = "p", .code = 1, .scratch = 5120}).error().reason != error::none);
    CHECK(memory.import({0, most}).error().reason == error::bad_alignment);
    CHECK(memory.import({0, most - 511}).error().reason == error::range_is_taken);
    CHECK(memory.import({most - 511, 1024}).error().reason == error::range_is_taken);
    CHECK(memory == before);

    const auto nothing = memory.allocate(std::uint64_t{0});  // occupies one quantum
    REQUIRE(nothing);
    CHECK(memory.granted(*nothing) == 512);
    CHECK(memory.free(*nothing));
    CHECK(memory.allocate(5120));
    CHECK(reason(memory, {.bytes = 0}) == error::buffer_does_not_fit);
}

TEST_CASE("scratch that would wrap around when summed up does not fit") {
    using per_program = manager<bottom_reserve<basic_best_fit<std::uint64_t>, scratch_sharing::per_program>>;
    per_program memory{{.capacity = 1_MiB}};
    REQUIRE(memory.load({.name = "a", .code = 512, .scratch = 512_KiB}));
    const auto wrapping = memory.load({.name = "b", .code = 512, .scratch = most - 512_KiB + 1});
    REQUIRE_FALSE(wrapping);
    CHECK(wrapping.error().reason == error::scratch_does_not_fit);
    CHECK(memory.reserved_bytes() == 512_KiB);
}

TEST_CASE("prices stop at the largest number") {
    constexpr memory_spec slow{.bandwidth = 1, .host_link = 1};
    CHECK(slow.move_nanoseconds(1) == 2'000 + 2 * 1'000);
    CHECK(slow.move_nanoseconds(most) == most);
    CHECK(slow.reload_nanoseconds(most) == most);
    CHECK(memory_spec{.copy_nanoseconds = most}.move_nanoseconds(512) == most);
    CHECK(memory_spec{.bandwidth = most}.move_nanoseconds(most) ==
          2'000 + 2 * (most / 18'446'744'073'709 * 1'000 + most % 18'446'744'073'709 / 18'446'744'073));
    // Two programs that spill as much as can be.
    manager<bottom_reserve<best_fit>> memory{{.capacity = 1_MiB, .copy_nanoseconds = most, .scratch_percent = 10}};
    const auto spilling = memory.load({.name = "spilling", .code = 512, .scratch = 512_KiB});
    REQUIRE(spilling);
    REQUIRE(memory.run(*spilling, {}));
    REQUIRE(memory.run(*spilling, {}));
    CHECK(memory.done_so_far().spill_nanoseconds == most);
}

TEST_CASE("a memory cannot become so long that what is reserved above it has no end") {
    manager<basic_best_fit<std::uint64_t>> memory{{.capacity = 1 << 20, .quantum = 1, .top_reserved = 4096}};
    const auto before = memory;
    CHECK_FALSE(memory.extend(most));
    CHECK_FALSE(memory.extend(most - 4095));
    CHECK(memory == before);
    CHECK(memory.extend(most - 4096));
    CHECK(memory.spec().capacity == most);
}

TEST_CASE("unlimited: best fit takes the space above the last block only when no other hole fits") {
    manager<best_fit> memory{manager<best_fit>::unlimited(1)};
    const auto a = memory.allocate(100);
    const auto b = memory.allocate(10);
    CHECK(memory.free(*a));
    const auto c = memory.allocate(90);
    CHECK(memory.where(*c).offset == 0);
    CHECK(memory.where(*b).offset == 100);
    CHECK(memory.where(*memory.allocate(11)).offset == 110);
    CHECK(manager<buddy>::unlimited(512).capacity == (std::uint64_t{1} << 40));
    CHECK(manager<basic_best_fit<std::uint64_t>>::unlimited(1).capacity == most);
    CHECK(
        manager<basic_best_fit<std::uint64_t>>{manager<basic_best_fit<std::uint64_t>>::unlimited(512)}.allocate(1_TiB));
}

TEST_CASE("the largest size, exactly") {
    manager<good_fit> memory{{.capacity = 0xffffffffull, .quantum = 1}};
    const auto all = memory.allocate(0xffffffffull);
    REQUIRE(all);
    CHECK(memory.largest_free_bytes() == 0);
    CHECK(memory.free(*all));
    CHECK(memory.largest_free_bytes() == 0xffffffffull);
    CHECK(memory.allocate(0xffffffffull));
}

}  // namespace hbm::test::capacity_tests
