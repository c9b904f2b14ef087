#include <hbm/eviction/policies.hpp>
#include <hbm/fits.hpp>
#include <hbm/hbm.hpp>
#include <hbm/manager.hpp>
#include <hbm/must_fit.hpp>
#include <hbm/placement/best_fit.hpp>
#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <support/managers.hpp>

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
