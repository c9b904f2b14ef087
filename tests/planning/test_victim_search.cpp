// Who leaves by scores alone: against the definitions, tried on everything there is.
#include <hbm/planning/victim_search.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <optional>

#include "planning/random_layout.hpp"
#include "support/layout_brute_force.hpp"
#include "testing/seeds.hpp"

namespace hbm::test::victim_search_tests {

namespace {

using testing::random_numbers;
using victims = trivial_vector<std::uint32_t>;

std::uint64_t bits_of(const victims& leaving) {
    std::uint64_t bits = 0;
    for (const std::uint32_t who : leaving) bits |= std::uint64_t{1} << who;
    return bits;
}
std::uint64_t level_after(const layout& start, std::uint64_t evicted) {
    std::uint64_t level = start.rule == scratch_rule::none ? start.bottom : start.scratch_of_others;
    for (std::size_t who = 0; who < start.programs.size(); ++who) {
        const std::uint64_t scratch = (evicted >> who & 1) != 0 ? 0 : start.programs[who].scratch;
        if (start.rule == scratch_rule::sum) level += scratch;
        if (start.rule == scratch_rule::largest) level = std::max(level, scratch);
    }
    return level;
}
bool has_bytes_after(const layout& start, std::uint64_t evicted) {
    std::uint64_t used = level_after(start, evicted);
    for (const layout_need& need : start.needs) used += need.length;
    for (const layout_block& each : start.blocks)
        if (each.program == no_index || (evicted >> each.program & 1) == 0) used += each.size;
    return used <= start.capacity;
}

/// The least prefix of the programs, the lowest score first, for which `enough` is true; all of them if there is none.
template <class Enough>
victims least_prefix(const layout& start, const trivial_vector<std::uint64_t>& scores, Enough enough) {
    victims order(start.programs.size());
    for (std::uint32_t who = 0; who < order.size(); ++who) order[who] = who;
    std::sort(order.begin(), order.end(),
              [&](auto a, auto b) { return scores[a] != scores[b] ? scores[a] < scores[b] : a < b; });
    for (std::size_t count = 0; count < order.size(); ++count)
        if (const victims some(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
            enough(bits_of(some)))
            return some;
    return order;
}

/// The least sum of scores of the programs above a level and of those in one stretch in which the need fits then, or in
/// the way of the reservation.
std::optional<std::uint64_t> min_window(const layout& start) {
    std::optional<std::uint64_t> least;
    for (std::uint64_t threshold = 0; threshold <= start.level(); ++threshold) {
        std::uint64_t above = 0;
        for (std::size_t who = 0; who < start.programs.size(); ++who)
            if (start.rule != scratch_rule::none && start.programs[who].scratch > threshold)
                above |= std::uint64_t{1} << who;
        const std::uint64_t level = level_after(start, above);
        const auto consider = [&](std::uint64_t low, std::uint64_t high) {
            std::uint64_t leaving = above;
            for (const layout_block& each : start.blocks) {
                if (each.end() <= low || each.offset >= high) continue;
                if (each.program == no_index) return;
                leaving |= std::uint64_t{1} << each.program;
            }
            std::uint64_t sum = 0;
            for (std::size_t who = 0; who < start.programs.size(); ++who)
                if ((leaving >> who & 1) != 0) sum += start.programs[who].score;
            if (!least || sum < *least) least = sum;
        };
        if (level > start.capacity) continue;
        if (start.needs.empty()) {
            consider(0, level);
            continue;
        }
        const layout_need& need = start.needs[0];
        for (std::uint64_t at = 0; at + need.length <= start.capacity; at += need.alignment)
            if (at >= level) consider(at, at + need.length);
    }
    return least;
}

const char* compare(const layout& start) {
    layout_brute_force all(start);
    const victim_search search(start);
    const auto fits = [&](std::uint64_t evicted) { return all.fits_after(evicted); };
    const auto any_needless = [&](const victims& leaving) {
        return std::any_of(leaving.begin(), leaving.end(),
                           [&](std::uint32_t who) { return fits(bits_of(leaving) & ~(std::uint64_t{1} << who)); });
    };
    trivial_vector<std::uint64_t> scores;
    trivial_vector<std::uint64_t> worth;
    for (const evictable_program& each : start.programs) {
        scores.push_back(each.score);
        worth.push_back(each.size == 0 ? each.score : each.score / each.size);
    }
    const victims named = least_prefix(start, scores, fits);
    if (search.in_order() != named) return "in_order() is not the least prefix that makes room";
    const auto has_bytes = [&](std::uint64_t evicted) { return has_bytes_after(start, evicted); };
    if (search.enough_bytes(false) != least_prefix(start, scores, has_bytes)) return "other bytes are enough";
    if (search.enough_bytes(true) != least_prefix(start, worth, has_bytes)) return "other bytes are worth the least";

    const auto one_by_one = search.one_at_a_time();
    if (one_by_one.has_value() != fits(bits_of(named))) return "one_at_a_time() is not there exactly where all fit";
    if (one_by_one) {
        victims expected = named;
        for (std::size_t at = expected.size(); at-- > 0;) {
            victims fewer = expected;
            fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(at));
            if (fits(bits_of(fewer))) expected = fewer;
        }
        if (*one_by_one != expected) return "others come back than those evicted needlessly";
        if (any_needless(*one_by_one)) return "a program leaves needlessly, one at a time";
    }

    std::optional<victims> window = search.cheapest_window();
    if (window && !fits(bits_of(*window))) return "the cheapest window does not make room";
    if (window && !one_by_one) return "there is a window, and all are not enough";
    const bool single = start.needs.size() + (start.level() > start.bottom) <= 1;
    if (single) {
        const std::optional<std::uint64_t> least = fits(0) ? 0 : min_window(start);
        if (window.has_value() != least.has_value()) return "there is a window, and it was not found, or none";
        std::uint64_t sum = 0;
        if (window)
            for (const std::uint32_t who : *window) sum += start.programs[who].score;
        if (window && sum != *least) return "another window is cheaper";
        if (window) search.spare(*window);
    }
    if (window && any_needless(*window)) return "a program leaves needlessly for a window";
    return nullptr;
}

}  // namespace

TEST_CASE("who leaves is who the definitions say") {
    std::uint64_t seen = 0;
    std::uint64_t windows_for_several = 0;
    std::uint64_t missed = 0;
    for_each_seed(20'000, [&](testing::outcome& found, random_numbers& random) {
        const layout start = random_layout(random, {.max_capacity = 14, .max_block = 3, .max_programs = 7});
        if (start.blocks.size() > 12) return;
        found.broken = compare(start);
        seen += !start.fits();
        const bool several = !start.fits() && start.needs.size() > 1 && victim_search(start).one_at_a_time();
        windows_for_several += several;
        missed += several && !victim_search(start).cheapest_window();
    });
    if (!tries_all_seeds()) return;
    CHECK(seen > 5000);
    CHECK(windows_for_several > 500);
    CHECK(missed * 20 < windows_for_several);
}

TEST_CASE("sums of scores do not wrap around: one program of the highest score is less than three of them") {
    layout start;
    start.capacity = 6;
    start.needs = {{3}};
    for (std::uint32_t who = 0; who < 4; ++who) {
        const std::uint64_t size = who == 3 ? 3 : 1;
        start.blocks.push_back({.offset = who, .size = size, .block = who, .program = who});
        start.programs.push_back({.slot = who, .score = ~std::uint64_t{0}, .size = size, .blocks = 1});
    }
    CHECK(victim_search(start).cheapest_window() == victims{3});
}

TEST_CASE("a goal of the caller's own decides who leaves one at a time") {
    layout start;
    start.capacity = 4;
    for (std::uint32_t who = 0; who < 4; ++who) {
        start.blocks.push_back({.offset = who, .size = 1, .block = who, .program = who});
        start.programs.push_back({.slot = who, .score = 4 - who, .size = 1, .blocks = 1});
    }
    const auto first_is_gone = [](const layout& now) { return !now.programs[1].present; };
    CHECK(victim_search(start).one_at_a_time(first_is_gone) == victims{1});
    CHECK_FALSE(victim_search(start).one_at_a_time([](const layout&) { return false; }));
}

}  // namespace hbm::test::victim_search_tests
