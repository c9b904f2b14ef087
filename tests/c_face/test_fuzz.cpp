// Random calls with random arguments, through hbm/c.h alone: valid, stale, foreign, of the wrong kind, forged, null,
// and sizes of any magnitude, against a plain model of which handles are live. 100,000 calls; HBM_SEEDS_PERCENT=10000
// makes 10,000,000 of them.
#include <doctest/doctest.h>

#include "c_face/fuzzed_manager.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::fuzz_tests {

using namespace hbm;

namespace {

testing::outcome story(std::uint64_t seed, std::uint32_t steps) {
    test::numbers random(seed);
    std::size_t managers = 0;
    while (hbm_manager_name(managers) != nullptr) ++managers;
    const char* const name = hbm_manager_name(seed % managers);
    const std::uint32_t failing = random.once_in(2) ? 0 : 6;
    test::fuzzed_manager first(name, random, failing);
    test::fuzzed_manager second(hbm_manager_name(random.below(managers)), random, 0);
    for (std::uint32_t step = 1; step <= steps; ++step) {
        test::fuzzed_manager& called = random.once_in(4) ? second : first;
        called.step(&called == &first ? second : first);
        if (step % 64 == 0) called.check_all();
        if (called.broken() != nullptr) return {called.broken(), name, seed, step};
    }
    return {};
}

}  // namespace

TEST_CASE("random calls of the C interface never do harm") {
    test::for_each_seed(200, 500, story);
}

}  // namespace hbm::test::fuzz_tests
