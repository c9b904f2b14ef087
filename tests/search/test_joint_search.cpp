// Room for all needs of a call at once: against brute force in tiny layouts, and by its rules in larger ones.
#include <hbm/search/joint_search.hpp>

#include <doctest/doctest.h>

#include <string>

#include "search/brute_force.hpp"
#include "search/random_layout.hpp"
#include "testing/seeds.hpp"

namespace hbm::test {

namespace {

using testing::random_numbers;

struct tally {
    std::uint64_t arenas = 0;  // in which something did not fit
    std::uint64_t plans = 0;
    std::uint64_t claimed = 0;  // to be the cheapest
    std::uint64_t exact = 0;    // that are
    std::uint64_t refusals = 0;
    std::uint64_t proven = 0;
    std::uint64_t missed = 0;  // refusals where there is a way
    std::uint64_t bounds_broken = 0;
    std::uint64_t price = 0;
    std::uint64_t least = 0;

    std::string words() const {
        std::string text;
        const auto add = [&](const char* what, std::uint64_t count) { text += what + std::to_string(count); };
        add("arenas ", arenas), add(", plans ", plans), add(", claimed exact ", claimed), add(", exact ", exact);
        add(", refusals ", refusals), add(", proven ", proven), add(", missed ", missed);
        add(", bounds broken ", bounds_broken), add(", price ", price), add(" of ", least);
        return text;
    }
};

const char* compare(const layout& start, tally& seen) {
    ++seen.arenas;
    layout_brute_force all(start);
    joint_search search(start);
    search.run();
    if (search.price() == joint_search::unlimited) {
        ++seen.refusals;
        seen.proven += search.proof() != infeasibility::unknown;
        const bool possible = all.cheapest(layout_brute_force::impossible) != layout_brute_force::impossible;
        seen.missed += possible;
        if (possible && search.proof() != infeasibility::unknown)
            return "there is a way, and a proof that there is none";
        return possible ? "there is a way, and it was not found" : nullptr;
    }
    ++seen.plans;
    if (const char* broken = broken_rule(start, search.changes(), search.price())) return broken;
    const std::uint64_t least = all.cheapest(search.price());
    if (least > search.price()) return "brute force finds nothing as cheap";
    seen.price += search.price() >> tie_bits;
    seen.least += least >> tie_bits;
    seen.exact += least == search.price();
    seen.claimed += search.bound() == search.price();
    seen.bounds_broken += search.bound() > least;
    return search.bound() > least ? "there is a way below the bound" : nullptr;
}

void expect_optimum(const char* name, std::uint64_t usual, const layout_size& size) {
    tally seen;
    const std::uint64_t only = number_from_environment("HBM_SEED", 0);
    const std::uint64_t first = only != 0 ? only : number_from_environment("HBM_FIRST_SEED", 1);
    const std::uint64_t seeds = only != 0 ? 1 : seeds_to_try(usual);
    for (std::uint64_t seed = first; seed < first + seeds; ++seed) {
        random_numbers random(seed);
        const layout start = random_layout(random, size);
        if (start.blocks.size() > 8 || start.fits()) continue;
        const char* broken = compare(start, seen);
        if (broken == nullptr) continue;
        const std::string found =
            std::string(broken) + ": " + words_for(start) + "; again with HBM_SEED=" + std::to_string(seed);
        FAIL_CHECK(found);
        return;
    }
    const std::string summary = std::string(name) + ": " + seen.words();
    MESSAGE(summary);
}

}  // namespace

TEST_CASE("no way is cheaper than what is found, or the bound says by how much one could be") {
    expect_optimum("one need", 4000, {.max_needs = 1});
    expect_optimum("several needs", 8000, {});
    expect_optimum("nothing moves", 4000, {.max_programs = 8, .movable_percent = 0});
}

}  // namespace hbm::test
