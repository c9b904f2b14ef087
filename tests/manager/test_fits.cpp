#include <hbm/eviction/policies.hpp>
#include <hbm/fits.hpp>
#include <hbm/grid.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager.hpp>
#include <hbm/must_fit.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/buddy.hpp>
#include <hbm/placement/first_fit.hpp>
#include <hbm/placement/good_fit.hpp>
#include <hbm/planning/relief_policies.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <concepts>
#include <cstdint>
#include <limits>
#include <string>
#include <support/managers.hpp>
#include <type_traits>
#include <vector>

// Capacities, widths and sizes at their limits.

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

// Whether many equal buffers fit, which are refused together where that is plain.

namespace hbm::test::fits_tests {

constexpr std::uint64_t q = 512;
constexpr std::uint64_t many = max_buffers_tried + 1;

TEST_CASE("buffers of several quanta are counted by all of them") {
    using memory_type = manager<best_fit>;
    const buffer_spec caches{"cache", 3 * q - 1, many};
    const start_spec start{.buffers = {&caches, 1}};
    const start_report good = try_start<memory_type>({.capacity = 3 * many * q}, start);
    CHECK(good.fits());
    CHECK(good.buffers == many);
    // As many quanta as buffers are there, but not three times as many.
    const start_report bad = try_start<memory_type>({.capacity = (3 * many - 1) * q}, start);
    CHECK(bad.why.reason == error::buffer_does_not_fit);
    CHECK(bad.together);
    CHECK(bad.buffers == 0);
    CHECK(bad.why.requested == 3 * many * q);
}

TEST_CASE("try_start: a start that evicts is reported like that of a manager that cannot") {
    const program_spec step{.name = "step", .code = 4 * q};
    const buffer_spec cache{"cache", 8 * q};
    const start_spec start{.programs = {&step, 1}, .buffers = {&cache, 1}, .order = start_order::programs_first};
    const start_report evicts = try_start<manager<best_fit, evict_lru>>({.capacity = 10 * q}, start);
    CHECK(evicts.by_eviction);
    CHECK(evicts.why == try_start<manager<best_fit>>({.capacity = 10 * q}, start).why);
}

}  // namespace hbm::test::fits_tests

// How many bytes a start lacks, as a constant. What the compilers print is in tests/must_not_compile.

namespace hbm::test::must_fit_tests {

constexpr std::uint64_t q = 512;

constexpr memory_spec memory{.name = "some", .capacity = 16 * q};
constexpr memory_spec odd{.name = "odd", .capacity = 16 * q - 1};
constexpr memory_spec nothing{.name = "nothing"};
constexpr memory_spec reserved{.name = "top", .capacity = 16 * q, .top_reserved = 4 * q};
constexpr memory_spec bad_quantum{.name = "bad", .capacity = 16 * q, .quantum = 3};
constexpr buffer_spec weights{.name = "weights", .bytes = 10 * q};
constexpr program_spec step{.name = "step", .code = 2 * q, .scratch = 4 * q};
constexpr program_spec other{.name = "other", .code = 2 * q, .scratch = 3 * q};
constexpr program_spec hopeless{.name = "hopeless", .code = ~std::uint64_t{0}};
constexpr buffer_spec uneven{.name = "uneven", .bytes = 5 * q, .count = 3};
constexpr buffer_spec several[] = {{.name = "a", .bytes = q}, {.name = "b", .bytes = 15 * q}};
constexpr start_spec as_a_start{.buffers = several};

// What fits exactly lacks nothing; a quantum more lacks a quantum.
static_assert(bytes_missing<tpu::runtime_memory, memory, weights, step>() == 0);
static_assert(must_fit<tpu::runtime_memory, memory, weights, step>());
static_assert(must_fit<manager<best_fit>, memory, as_a_start>());
static_assert(must_fit<manager<best_fit>, memory>());
static_assert(bytes_missing<tpu::runtime_memory, odd, weights, step>() == 1);
static_assert(bytes_missing<tpu::runtime_memory, nothing, weights, step>() == 16 * q);
static_assert(bytes_missing<tpu::runtime_memory, reserved, weights, step>() == 4 * q);
// Scratch is shared where it is reserved, and not elsewhere. What fits only by evicting a program of the start does not
// fit.
static_assert(bytes_missing<tpu::runtime_memory, memory, weights, step, other>() == 2 * q);
static_assert(bytes_missing<manager<best_fit>, memory, weights, step, other>() == 5 * q);
// Buddy gives each of 5 quanta 8: 24 in all.
static_assert(bytes_missing<manager<best_fit>, memory, uneven>() == 0);
static_assert(bytes_missing<manager<buddy>, memory, uneven>() == 8 * q);
// Nothing helps.
static_assert(bytes_missing<manager<best_fit>, memory, hopeless>() == ~std::uint64_t{0});
static_assert(bytes_missing<manager<best_fit>, bad_quantum, weights>() == ~std::uint64_t{0});

template <class Manager, const memory_spec& Spec, const auto&... Contents>
void check_that_so_much_is_enough() {
    constexpr std::uint64_t missing = bytes_missing<Manager, Spec, Contents...>();
    memory_spec larger = Spec;
    larger.capacity += missing;
    CHECK(fits<Manager>(larger, detail::listed_start<Contents...>::contents));
    larger.capacity -= Spec.quantum;
    if (missing != 0) CHECK(!fits<Manager>(larger, detail::listed_start<Contents...>::contents));
}

TEST_CASE("so much more is enough, and a quantum less is not") {
    check_that_so_much_is_enough<tpu::runtime_memory, memory, weights, step, other>();
    check_that_so_much_is_enough<manager<best_fit>, memory, weights, step, other>();
    check_that_so_much_is_enough<manager<buddy>, memory, uneven>();
    check_that_so_much_is_enough<manager<buddy>, memory, weights, uneven, step>();
    check_that_so_much_is_enough<xla_bfc, memory, weights, uneven, step>();
}

}  // namespace hbm::test::must_fit_tests

// The managers of all combinations, as types.

namespace hbm::test::grid_tests {

using small = grid<placements<best_fit, compacting<buddy>>, evictions<never_evict, evict_lru>,
                   donations<never_donate, donate_same_size>>;
static_assert(
    std::same_as<
        small,
        manager_list<manager<best_fit>, manager<best_fit, never_evict, donate_same_size>, manager<best_fit, evict_lru>,
                     manager<best_fit, evict_lru, donate_same_size>, manager<compacting<buddy>>,
                     manager<compacting<buddy>, never_evict, donate_same_size>, manager<compacting<buddy>, evict_lru>,
                     manager<compacting<buddy>, evict_lru, donate_same_size>>>);
static_assert(small::size == 8);
static_assert(small::contains<manager<best_fit, evict_lru>> && !small::contains<manager<first_fit>>);

// Axes at the end may be left out, and may be empty.
static_assert(std::same_as<grid<placements<best_fit>>, manager_list<manager<best_fit>>>);
static_assert(std::same_as<grid<placements<>>, manager_list<>>);
static_assert(std::same_as<grid<placements<best_fit, first_fit>, evictions<>>, manager_list<>>);
static_assert(grid<placements<>>::names.empty());

// A relief policy without anything to choose from is no manager of its own.
using reliefs_of_three = grid<placements<best_fit, compacting<best_fit>>, evictions<never_evict, evict_lru>,
                              donations<never_donate>, reliefs<relieve_cheapest, evict_first, never_relieve>>;
static_assert(reliefs_of_three::size == 1 + 3 + 3 + 3);
static_assert(!reliefs_of_three::contains<manager<best_fit, never_evict, never_donate, never_relieve>>);
static_assert(reliefs_of_three::contains<manager<best_fit, evict_lru, never_donate, never_relieve>>);

template <class Manager>
struct may_move : std::bool_constant<compacts<typename Manager::placement_type>> {};
static_assert(small::only<may_move>::size == 4);
static_assert(std::same_as<small::only<may_move>::only<may_move>, small::only<may_move>>);
static_assert(std::same_as<grid<placements<best_fit>>::only<may_move>, manager_list<>>);

TEST_CASE("names and visits are in the order of the list") {
    const std::vector<std::string> names(small::names.begin(), small::names.end());
    CHECK(names.front() == "best_fit/never_evict/never_donate");
    CHECK(names[3] == "best_fit/evict_lru/donate_same_size");
    CHECK(names.back() == "compacting<buddy>/evict_lru/donate_same_size");
    std::vector<std::string> visited;
    small::for_each([&]<class Manager>() { visited.emplace_back(Manager::full_name.c_str()); });
    CHECK(visited == names);
    const auto mapped = small::map([]<class Manager>() { return std::string(Manager::full_name.c_str()); });
    CHECK(std::vector<std::string>(mapped.begin(), mapped.end()) == names);
}

TEST_CASE("each manager of a grid works") {
    reliefs_of_three::for_each([]<class Manager>() {
        Manager memory{{.name = "some", .capacity = 8 * 512}};
        const auto one = memory.allocate(512);
        REQUIRE(one);
        CHECK(memory.free(*one));
    });
}

}  // namespace hbm::test::grid_tests
