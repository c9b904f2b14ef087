#include <hbm/core/trivial_vector.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testing/seeds.hpp"

// trivial_queue against std::vector, in constant evaluation, and the items that it moves to remove others.

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

// trivial_vector against std::vector, and in constant evaluation.

namespace hbm::test::trivial_vector_tests {

namespace {

struct item {
    std::uint64_t number = 0;
    std::uint8_t mark = 0;

    friend constexpr bool operator==(const item&, const item&) = default;
};

bool same(const trivial_vector<item>& made, const std::vector<item>& model) {
    return made.size() == model.size() && made.empty() == model.empty() && made.capacity() >= made.size() &&
           std::equal(made.begin(), made.end(), model.begin());
}

testing::outcome random_changes(std::uint64_t seed, std::uint32_t steps) {
    testing::random_numbers draw(seed);
    trivial_vector<item> made;
    std::vector<item> model;
    for (std::uint32_t step = 0; step < steps; ++step) {
        const item fresh{draw.below(1000), static_cast<std::uint8_t>(step)};
        const auto place = static_cast<std::ptrdiff_t>(draw.below(model.size() + 1));
        const auto from = static_cast<std::ptrdiff_t>(model.empty() ? 0 : draw.below(model.size()));
        const auto to = static_cast<std::ptrdiff_t>(model.empty() ? 0 : draw.below(model.size()));
        switch (draw.below(model.empty() ? 6 : 10)) {
        case 0:
            made.push_back(fresh);
            model.push_back(fresh);
            break;
        case 1:
            made.emplace_back().number = fresh.number;
            model.emplace_back().number = fresh.number;
            break;
        case 2:
            made.insert(made.begin() + place, fresh);
            model.insert(model.begin() + place, fresh);
            break;
        case 3: {
            const std::vector<item> more(draw.below(4), fresh);
            made.append(more.data(), more.data() + more.size());
            model.insert(model.end(), more.begin(), more.end());
            break;
        }
        case 4: {
            const std::size_t count = draw.below(2 * model.size() + 2);
            made.resize(count, fresh);
            model.resize(count, fresh);
            break;
        }
        case 5: {
            trivial_vector<item> copy = made;
            copy.push_back(fresh);
            made = draw.below(2) == 0 ? std::move(copy) : copy;
            model.push_back(fresh);
            break;
        }
        case 6:
            made.pop_back();
            model.pop_back();
            break;
        case 7:
            made.erase(made.begin() + std::min(from, to), made.begin() + std::max(from, to));
            model.erase(model.begin() + std::min(from, to), model.begin() + std::max(from, to));
            break;
        case 8:
            made.erase(made.begin() + from);
            model.erase(model.begin() + from);
            break;
        default: {
            made.reposition(static_cast<std::size_t>(from), static_cast<std::size_t>(to));
            const item moved = model[static_cast<std::size_t>(from)];
            model.erase(model.begin() + from);
            model.insert(model.begin() + to, moved);
        }
        }
        if (!same(made, model)) return {"it does not hold what a std::vector holds", "trivial_vector", seed, step + 1};
    }
    return {};
}

constexpr bool works_in_constant_evaluation() {
    trivial_vector<item> made{{1, 0}, {2, 0}, {3, 0}, {4, 0}};
    made.reposition(0, 2);  // 2 3 1 4
    made.reposition(3, 1);  // 2 4 3 1
    made.reposition(2, 2);
    made.insert(made.begin(), {5, 0});
    made.erase(made.begin() + 1);  // 5 4 3 1
    trivial_vector<item> copy = made;
    copy.append(made.begin(), made.end());
    return made == trivial_vector<item>{{5, 0}, {4, 0}, {3, 0}, {1, 0}} && copy.size() == 8 && copy[7].number == 1;
}
static_assert(works_in_constant_evaluation());

}  // namespace

TEST_CASE("a trivial_vector holds what a std::vector holds") {
    for_each_seed(200, 200, random_changes);
}

}  // namespace hbm::test::trivial_vector_tests
