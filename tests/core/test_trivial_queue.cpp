// trivial_queue against std::vector, in constant evaluation, and the items that it moves to remove others.
#include <hbm/core/trivial_vector.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "testing/seeds.hpp"

namespace hbm::test::trivial_queue_tests {

namespace {

using numbers = trivial_queue<std::uint64_t>;

bool same(const numbers& queue, const std::vector<std::uint64_t>& model) {
    return queue.size() == model.size() && queue.empty() == model.empty() &&
           std::equal(queue.begin(), queue.end(), model.begin(), model.end());
}

testing::outcome random_changes(std::uint64_t seed, std::uint32_t steps) {
    testing::random_numbers draw(seed);
    numbers queue;
    std::vector<std::uint64_t> model;
    for (std::uint32_t step = 0; step < steps; ++step) {
        const std::uint64_t fresh = draw.below(1000);
        const std::size_t count = draw.below(model.size() + 1);
        switch (draw.below(4)) {
        case 0:
        case 1:
            for (int more = 0; more < 5; ++more) queue.push_back(fresh), model.push_back(fresh);
            break;
        case 2:
            queue.pop_front(count / 4);
            model.erase(model.begin(), model.begin() + static_cast<std::ptrdiff_t>(count / 4));
            break;
        default: {
            numbers copy = queue;
            if (!(copy == queue)) return {"a copy differs", "trivial_queue", seed, step + 1};
            copy.push_back(fresh);
            if (copy == queue) return {"a longer queue is equal", "trivial_queue", seed, step + 1};
            queue = draw.below(2) == 0 ? std::move(copy) : copy;
            model.push_back(fresh);
            break;
        }
        }
        if (!same(queue, model)) return {"it does not hold what a std::vector holds", "trivial_queue", seed, step + 1};
    }
    return {};
}

constexpr bool works_in_constant_evaluation() {
    numbers queue;
    for (std::uint64_t number = 0; number < 100; ++number) queue.push_back(number);
    for (int left = 100; left > 1; --left) queue.pop_front(1);
    numbers moved = static_cast<numbers&&>(queue);
    return moved.size() == 1 && moved[0] == 99 && queue.empty() && queue == numbers{};
}
static_assert(works_in_constant_evaluation());

}  // namespace

TEST_CASE("trivial_queue: holds what a std::vector holds") {
    for_each_seed(200, 200, random_changes);
}

TEST_CASE("trivial_queue: moves no more items than it removes") {
    for (const std::size_t length : {1u, 2u, 3u, 10u, 1000u}) {
        CAPTURE(length);
        numbers queue;
        queue.reserve(length);
        for (std::uint64_t number = 0; number < length; ++number) queue.push_back(number);
        std::size_t moved = 0;
        const std::size_t removed = 10 * length;
        for (std::size_t number = 0; number < removed; ++number) {
            const std::uint64_t* const next = queue.begin() + 1;
            queue.pop_front(1);
            if (queue.begin() != next) moved += queue.size();
            queue.push_back(number);
        }
        CHECK(moved <= removed);
    }
}

}  // namespace hbm::test::trivial_queue_tests
