// trivial_vector against std::vector, and in constant evaluation.
#include <hbm/core/trivial_vector.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testing/seeds.hpp"

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
