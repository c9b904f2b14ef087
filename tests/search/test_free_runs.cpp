// Free runs in a tree, compared with a plain list of quanta.
#include <hbm/search/free_runs.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hbm::test::free_runs_tests {

TEST_CASE("free_runs: count and longest follow each change of a range") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        testing::random_numbers random(seed);
        trivial_vector<std::uint32_t> offsets;
        std::vector<std::uint32_t> known;
        for (std::uint64_t left = 2 + random.below(20); left != 0; --left) {
            known.push_back(static_cast<std::uint32_t>(random.below(60)));
            offsets.push_back(known.back());
        }
        free_runs<std::uint32_t> runs(offsets);
        std::vector<bool> is_free(60, false);
        for (int step = 0; step < 30; ++step) {
            std::uint32_t low = known[random.below(known.size())];
            std::uint32_t high = known[random.below(known.size())];
            if (low > high) std::swap(low, high);
            const bool frees = random.once_in(2);
            if (frees)
                runs.free({low, high - low});
            else
                runs.occupy({low, high - low});
            for (std::uint32_t at = low; at < high; ++at) is_free[at] = frees;
            std::size_t count = 0;
            std::uint32_t longest = 0;
            std::uint32_t length = 0;
            for (const bool is_hole : is_free) {
                length = is_hole ? length + 1 : 0;
                count += length == 1;
                longest = std::max(longest, length);
            }
            REQUIRE(runs.count() == count);
            REQUIRE(runs.longest() == longest);
        }
    }
}

}  // namespace hbm::test::free_runs_tests
