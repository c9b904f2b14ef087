#include <hbm/search/windows.hpp>
#include <hbm/testing/random.hpp>

#include <doctest/doctest.h>

#include <cstdint>

#include "testing/seeds.hpp"

namespace hbm::test::windows_tests {

using testing::random_numbers;

namespace {

constexpr std::uint64_t infeasible = ~std::uint64_t{0};

/// What emptying [low, low + length) costs: every segment is looked at; infeasible with a wall or beyond the end.
std::uint64_t price_of(const trivial_vector<segment>& row, std::uint64_t low, std::uint64_t length) {
    if (low + length > row.back().high) return infeasible;
    std::uint64_t price = 0;
    for (const segment& part : row) {
        if (part.high <= low || low + length <= part.low || part.is_hole()) continue;
        if (part.kind == segment_kind::wall) return infeasible;
        price += part.least;
    }
    return price;
}

trivial_vector<segment> random_row(random_numbers& random) {
    trivial_vector<segment> row;
    std::uint64_t end = 0;
    for (std::uint64_t left = 1 + random.below(10); left > 0; --left) {
        segment next{.low = end, .high = end + 1 + random.below(5)};
        const std::uint64_t kind = random.below(row.empty() || !row.back().is_hole() ? 5 : 3);
        if (kind < 3) {
            next.kind = kind == 0 ? segment_kind::wall : segment_kind::block;
            if (kind != 0) next.least = 1 + random.below(9);
        }
        end = next.high;
        row.push_back(next);
    }
    return row;
}

}  // namespace

TEST_CASE("the first window listed is the cheapest that there is, and each is priced right") {
    for_each_seed(20'000, [&](testing::outcome& found, random_numbers& random) {
        const trivial_vector<segment> row = random_row(random);
        const layout_need need{.length = 1 + random.below(9), .alignment = std::uint64_t{1} << random.below(3)};
        const std::uint64_t limit = random.once_in(3) ? 1 + random.below(12) : infeasible;
        const std::size_t most = random.once_in(3) ? 1 + random.below(3) : 64;

        std::uint64_t cheapest = infeasible;
        for (std::uint64_t low = 0; low < row.back().high; low += need.alignment) {
            const std::uint64_t price = price_of(row, low, need.length);
            if (price < cheapest) cheapest = price;
        }
        trivial_vector<window> windows;
        list_windows(row, need, limit, most, windows);

        if (windows.size() > most) found.broken = "more windows than asked for";
        if (windows.empty() != (cheapest >= limit)) found.broken = "a window is missed or invented";
        if (!windows.empty() && windows[0].price != cheapest) found.broken = "the first window is not the cheapest";
        std::uint64_t before = 0;
        for (const window& each : windows) {
            if (each.where.size() != need.length || each.where.low % need.alignment != 0)
                found.broken = "a window is of another length or alignment";
            const std::uint64_t price = price_of(row, each.where.low, need.length);
            if (need.alignment == 1 ? each.price != price : each.price < price)
                found.broken = "a window has another price";
            if (each.price < before || each.price >= limit) found.broken = "prices out of order or above the limit";
            before = each.price;
        }
    });
}

}  // namespace hbm::test::windows_tests
