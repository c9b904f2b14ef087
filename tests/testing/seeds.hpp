#pragma once

/// Runs a random story for many seeds, or for the one that HBM_SEED names, with HBM_STEPS steps. HBM_SEEDS_PERCENT is
/// how many of the usual seeds are tried, for builds that are slow.

#include <hbm/testing/outcome.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace hbm::test {

/// The number in an environment variable, `otherwise` if it is not set.
inline std::uint64_t number_from_environment(const char* name, std::uint64_t otherwise) {
    const char* text = std::getenv(name);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

/// How many of so many seeds are tried, one at least.
inline std::uint64_t seeds_to_try(std::uint64_t usual) {
    const std::uint64_t some = usual * number_from_environment("HBM_SEEDS_PERCENT", 100) / 100;
    return some == 0 ? 1 : some;
}
/// Returns true if those are all, so that what they have to come across can be expected.
inline bool tries_all_seeds() {
    return number_from_environment("HBM_SEED", 0) == 0 && number_from_environment("HBM_SEEDS_PERCENT", 100) >= 100;
}

/// `story(seed, steps)` returns a `testing::outcome`; the first that is not ok fails the test and says how to see it
/// again.
template <class Story>
void for_each_seed(std::uint64_t seeds, std::uint32_t steps, Story story) {
    const std::uint64_t only = number_from_environment("HBM_SEED", 0);
    const auto length = static_cast<std::uint32_t>(number_from_environment("HBM_STEPS", steps));
    const std::uint64_t last = only == 0 ? seeds_to_try(seeds) : only;
    for (std::uint64_t seed = only == 0 ? 1 : only; seed <= last; ++seed) {
        const testing::outcome found = story(seed, length);
        if (found.ok()) continue;
        FAIL_CHECK(describe(found) << ": HBM_SEED=" << seed << " HBM_STEPS=" << found.step);
        return;
    }
}

/// Runs a story of one step for many seeds: `story(found, random)` writes the broken rule into `found`.
template <class Story>
void for_each_seed(std::uint64_t seeds, Story story) {
    for_each_seed(seeds, 1, [&](std::uint64_t seed, std::uint32_t) {
        testing::outcome found{.seed = seed, .step = 1};
        testing::random_numbers random(seed);
        story(found, random);
        return found;
    });
}

}  // namespace hbm::test
