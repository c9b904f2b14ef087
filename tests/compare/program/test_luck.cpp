// Luck: ranges, their overlap, needs over variants, and what a recommendation makes of them.
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "compare/cells/take_luck.hpp"
#include "compare/generate/generate.hpp"
#include "compare/managers/drive.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/tables/records.hpp"
#include "compare/texts/luck_words.hpp"
#include "compare/texts/recommendation.hpp"

namespace hbm::test::luck_tests {

using namespace hbm::compare;

namespace {

constexpr manager_entry entries[] = {entry_of<manager<best_fit>, false>(), entry_of<manager<best_fit_lifo>, false>(),
                                     entry_of<manager<buddy>, false>()};

struct compared_churn {
    selection chosen;
    std::vector<scenario> scenarios;
    std::vector<comparison> result;

    explicit compared_churn(limit how, std::uint64_t variants) {
        for (const manager_entry& entry : entries) chosen.managers.push_back(&entry);
        trace::generate_result load = trace::generate("uniform_churn:operations=2000,live=60", 3);
        REQUIRE(load);
        scenario& churn = scenarios.emplace_back();
        churn.load = *load;
        churn.how = how;
        churn.device = tpu::v5e;
        churn.min_bytes = trace::min_bytes(churn.load, churn.device.quantum);
        result = compare_all(chosen, scenarios, 0, 1, false);
        if (variants != 0) take_luck(result, chosen, variants, 1);
    }
};

}  // namespace

TEST_CASE("luck: the median is the middle, and the lower one of two") {
    CHECK(luck_of({5, 1, 9}) == luck{1, 5, 9, 3});
    CHECK(luck_of({4, 2, 8, 6}) == luck{2, 4, 8, 4});
    CHECK(luck_of({7}) == luck{7, 7, 7, 1});
}

TEST_CASE("luck: ranges are equal if more than half of the shorter one lies in the other") {
    const luck ten_to_twenty{10, 12, 20, 9};
    CHECK(are_equal_within_luck(ten_to_twenty, {14, 20, 34, 9}));
    CHECK_FALSE(are_equal_within_luck(ten_to_twenty, {15, 20, 35, 9}));
    CHECK_FALSE(are_equal_within_luck(ten_to_twenty, {21, 22, 23, 9}));
    CHECK(are_equal_within_luck(ten_to_twenty, {11, 11, 12, 9}));
    CHECK(are_equal_within_luck(ten_to_twenty, {20, 20, 20, 9}));
    CHECK_FALSE(are_equal_within_luck(ten_to_twenty, {21, 21, 21, 9}));
    CHECK(are_equal_within_luck({14, 20, 34, 9}, ten_to_twenty));
}

TEST_CASE("luck: needs are those of the workload and its variants, the same on any number of cores") {
    for (const limit how : {limit::unlimited, limit::needed}) {
        const compared_churn some(how, 4);
        const comparison& compared = some.result.front();
        for (std::size_t at = 0; at < std::size(entries); ++at) {
            const cell& taken = compared.cells[compared.cell_of[at]];
            REQUIRE(taken.needs);
            const std::uint64_t own = *need_of(*compared.in, taken.found);
            CHECK(taken.needs->workloads == 5);
            CHECK(taken.needs->least <= own);
            CHECK(taken.needs->most >= own);
            CHECK(taken.needs->least >= compared.in->min_bytes);
        }
        compared_churn again(how, 0);
        take_luck(again.result, again.chosen, 4, 2);
        CHECK(json_text(all_records(again.result, again.chosen)) ==
              json_text(all_records(compared_churn(how, 4).result, again.chosen)));
    }
}

TEST_CASE("luck: records have needs if there were variants, and only then") {
    const compared_churn without(limit::unlimited, 0);
    CHECK(json_text(all_records(without.result, without.chosen)).find("needs_") == std::string::npos);
    const compared_churn with(limit::unlimited, 2);
    CHECK(json_text(all_records(with.result, with.chosen)).find("\"needs_median_bytes\":") != std::string::npos);
}

TEST_CASE("luck: a sentence has the median and the range of each manager, if there were variants") {
    const compared_churn with(limit::unlimited, 2);
    const std::string words = luck_words(with.result.front(), with.chosen);
    CHECK(words.starts_with("Needs over the workload and 2 variants, median and range"));
    for (const char* part : {" best_fit ", "; best_fit_lifo ", "; buddy "})
        CHECK(words.find(part) != std::string::npos);
    const compared_churn without(limit::unlimited, 0);
    CHECK(luck_words(without.result.front(), without.chosen).empty());
}

TEST_CASE("luck: managers that are equal within luck are recommended by cost and simplicity, and named") {
    compared_churn some(limit::unlimited, 2);
    comparison& compared = some.result.front();
    const auto set_needs = [&](std::size_t manager, const luck& needs) {
        compared.cells[compared.cell_of[manager]].needs = needs;
    };
    // The other one was luckier by 3 % in the median.
    set_needs(0, {1000, 1040, 1100, 7});
    set_needs(1, {990, 1010, 1090, 7});
    set_needs(2, {2000, 2100, 2200, 7});
    const recommendation advice = recommend(some.result, some.chosen);
    REQUIRE(advice.best.who == &entries[0]);
    REQUIRE(advice.equals.size() == 1);
    CHECK(advice.equals.front() == "best_fit_lifo");
    CHECK(advice.sentences[1].find("Equal within luck: best_fit_lifo.") != std::string::npos);
    CHECK(recommendation_json(advice).find("\"equal_within_luck\":[\"best_fit_lifo\"]") != std::string::npos);

    set_needs(1, {900, 910, 1000, 7});
    CHECK(recommend(some.result, some.chosen).best.who == &entries[1]);
}

}  // namespace hbm::test::luck_tests
