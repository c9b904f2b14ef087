// Whether many equal buffers fit, which are refused together where that is plain.
#include <hbm/eviction/policies.hpp>
#include <hbm/fits.hpp>
#include <hbm/manager.hpp>
#include <hbm/placement/best_fit.hpp>

#include <doctest/doctest.h>

#include <support/managers.hpp>

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
