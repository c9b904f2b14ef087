// The sizes that constant evaluation takes at the compilers' default limits. It fails to compile beyond them.
#include <hbm/better.hpp>
#include <hbm/fits.hpp>
#include <hbm/hbm.hpp>
#include <hbm/placement/first_fit.hpp>

#include <doctest/doctest.h>

#include <concepts>

namespace hbm::test::constant_limits_tests {

#ifdef __clang__
constexpr std::uint64_t count = 5'000;
constexpr std::size_t timed_count = 300;
#else
constexpr std::uint64_t count = 20'000;
constexpr std::size_t timed_count = 400;
#endif
constexpr memory_spec spec{.capacity = 8_GiB};
constexpr buffer_spec pages[] = {{.name = "page", .bytes = 64_KiB, .count = count}};
static_assert(fits<manager<best_fit>>(spec, start_spec{.buffers = pages}));
static_assert(fits<manager<first_fit>>(spec, start_spec{.buffers = pages}));

struct timed_buffers {
    timed_buffer items[timed_count];
};

/// Returns buffers of 1 to 100 quanta, one allocated at each time and freed after at most 64.
constexpr timed_buffers random_buffers() {
    timed_buffers result{};
    std::uint32_t random = 12'345;
    std::uint32_t now = 0;
    for (timed_buffer& item : result.items) {
        random = random * 1'664'525u + 1'013'904'223u;
        item = {.bytes = default_quantum * (1 + (random >> 8) % 100), .from = now, .until = now + 1 + random % 64};
        ++now;
    }
    return result;
}
constexpr timed_buffers buffers = random_buffers();
constexpr timed_workload workload{.buffers = buffers.items};
using best = manager<best_fit>;
using first = manager<first_fit>;
using chosen = better_of<best, first, workload>;

TEST_CASE("better_of: chooses by the capacities that replays at run time need") {
    const auto completes = [](std::uint64_t capacity) {
        return replay_timed<best>({.capacity = capacity}, buffers.items).completed;
    };
    constexpr std::uint64_t needed = bytes_needed<best, workload>();
    CHECK(std::same_as<chosen, first> == (bytes_needed<first, workload>() < needed));
    CHECK(completes(needed));
    CHECK_FALSE(completes(needed - default_quantum));
}

}  // namespace hbm::test::constant_limits_tests
