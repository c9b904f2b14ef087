// Luck: ranges, their overlap, needs over variants, and what a recommendation makes of them.
#include <hbm/hbm.hpp>
#include <hbm/placement/best_fit_lifo.hpp>
#include <hbm/placement/buddy.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "compare/cells/take_luck.hpp"
#include "compare/generate/generate.hpp"
#include "compare/managers/drive.hpp"
#include "compare/program/compare_program.hpp"
#include "compare/replay/capacity.hpp"
#include "compare/sweeps/gate.hpp"
#include "compare/tables/records.hpp"
#include "compare/tables/report.hpp"
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
        take_luck(result, chosen, variants, 1, false);
    }

    void set_needs(std::size_t manager, const luck& needs) {
        comparison& compared = result.front();
        compared.cells[compared.cell_of[manager]].needs = needs;
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
        take_luck(again.result, again.chosen, 4, 2, false);
        CHECK(json_text(all_records(again.result, again.chosen)) ==
              json_text(all_records(compared_churn(how, 4).result, again.chosen)));
    }
}

TEST_CASE("luck: records have null needs without variants") {
    const compared_churn without(limit::unlimited, 0);
    CHECK(json_text(all_records(without.result, without.chosen)).find("\"needs_median_bytes\":null,") !=
          std::string::npos);
    const compared_churn with(limit::unlimited, 2);
    const std::string text = json_text(all_records(with.result, with.chosen));
    CHECK(text.find("\"needs_workloads\":3}") != std::string::npos);
    CHECK(text.find("\"needs_median_bytes\":null") == std::string::npos);
}

TEST_CASE("luck: the usual number of variants depends on the rows alone") {
    scenario subject;
    CHECK(usual_variants(subject) == 0);
    subject.load.rows = std::vector<trace::row>(1000);
    CHECK(usual_variants(subject) == 8);
    subject.load.rows = std::vector<trace::row>(300'000);
    CHECK(usual_variants(subject) == 6);
    subject.load.rows = std::vector<trace::row>(2'000'001);
    CHECK(usual_variants(subject) == 0);
    subject.load.rows = std::vector<trace::row>(1000);
    subject.at.swept.push_back({"seed", "1", false});
    CHECK(usual_variants(subject) == 0);
    subject.at.swept.clear();
    subject.how = limit::given;
    CHECK(usual_variants(subject) == 0);
}

TEST_CASE("luck: a need has its range in brackets, in the unit of the need") {
    constexpr std::uint64_t mebibyte = 1 << 20;
    CHECK(need_with_range(119 * mebibyte, luck{117 * mebibyte, 119 * mebibyte, 121 * mebibyte, 9}) ==
          "119.00M (117.00 to 121.00)");
    CHECK(need_with_range(1023 * mebibyte, luck{1023 * mebibyte, 1024 * mebibyte, 2048 * mebibyte, 9}) ==
          "1023.00M (1023.00 to 2.00G)");
    CHECK(need_with_range(5 * mebibyte, luck{5 * mebibyte, 5 * mebibyte, 5 * mebibyte + 1, 9}) == "5.00M");
    CHECK(need_with_range(5 * mebibyte, std::nullopt) == "5.00M");
}

TEST_CASE("luck: groups begin at the least median, and have needs that differ") {
    using groups = std::vector<std::optional<std::size_t>>;
    const luck low{10, 12, 20, 9};
    const luck high{50, 55, 60, 9};
    CHECK(groups_within_luck({high, low, std::nullopt, luck{11, 13, 19, 9}}) == groups{{}, 0, {}, 0});
    CHECK(groups_within_luck({high, low, luck{52, 56, 58, 9}, luck{9, 11, 21, 9}}) == groups{1, 0, 1, 0});
    CHECK(groups_within_luck({low, low, high}) == groups{{}, {}, {}});
    CHECK(groups_within_luck({}).empty());
}

TEST_CASE("luck: a sentence names the managers that are equal within luck, if there were variants") {
    compared_churn some(limit::unlimited, 2);
    const comparison& compared = some.result.front();
    some.set_needs(0, {1000, 1040, 1100, 3});
    some.set_needs(1, {990, 1010, 1090, 3});
    some.set_needs(2, {2000, 2100, 2200, 3});
    CHECK(luck_note(compared, some.chosen).ends_with("Equal within luck: best_fit, best_fit_lifo."));
    some.set_needs(1, {1990, 2010, 2190, 3});
    some.set_needs(2, {990, 1010, 1090, 3});
    CHECK(luck_note(compared, some.chosen).ends_with("Equal within luck: best_fit, buddy."));
    some.set_needs(2, {5000, 5100, 5200, 3});
    CHECK(luck_note(compared, some.chosen).ends_with("Equal within luck: none."));
    for (std::size_t manager = 0; manager < 3; ++manager) some.set_needs(manager, {1000, 1000, 1000, 3});
    CHECK(luck_note(compared, some.chosen) ==
          "Nothing of these needs is luck: 2 variants of the workload need as much.");
    const compared_churn without(limit::unlimited, 0);
    CHECK(luck_note(without.result.front(), without.chosen).empty());
}

TEST_CASE("luck: tables have ranges in brackets") {
    const compared_churn some(limit::needed, 2);
    const std::string text = plain_text(make_report(some.result, some.chosen), false);
    for (std::size_t at = 0; at < std::size(entries); ++at) {
        const cell& taken = some.result.front().cells[some.result.front().cell_of[at]];
        CHECK(text.find(need_with_range(*taken.found.min_capacity_bytes, taken.needs)) != std::string::npos);
    }
    CHECK(text.find(" to ") != std::string::npos);
}

TEST_CASE("luck: the gate calls a need that changed by luck neither better nor worse") {
    compared_churn some(limit::unlimited, 0);
    cell& taken = some.result.front().cells.front();
    const std::uint64_t bytes = *taken.found.footprint_bytes;
    const auto verdict_of = [&](const luck& before, const luck& now, std::uint64_t grown) {
        taken.needs = before;
        stored_result stored;
        stored.rows = all_records(some.result, some.chosen, axis_keys::all);
        stored.offsets.resize(stored.rows.size());
        taken.needs = now;
        taken.found.footprint_bytes = bytes + grown;
        verdict result;
        CHECK(compare_figures(stored, some.result, some.chosen, result).empty());
        taken.found.footprint_bytes = bytes;
        return result;
    };
    const verdict lucky = verdict_of({1000, 1040, 1100, 7}, {1010, 1050, 1100, 7}, 512);
    CHECK(lucky.worse.empty());
    REQUIRE(lucky.changed.size() == 2);
    CHECK(lucky.changed.front().find("footprint_bytes: ") != std::string::npos);
    CHECK(lucky.changed.front().ends_with(", equal within luck"));
    const verdict worse = verdict_of({1000, 1040, 1100, 7}, {2010, 2050, 2100, 7}, 512);
    REQUIRE(worse.worse.size() == 2);
    CHECK(worse.worse.back().find("needs_median_bytes: 2050 instead of 1040 (1010 more") != std::string::npos);
    const verdict better = verdict_of({2010, 2050, 2100, 7}, {1000, 1040, 1100, 7}, 0);
    CHECK(better.worse.empty());
    CHECK(better.better.size() == 1);
    CHECK(better.changed.empty());
}

TEST_CASE("luck: managers that are equal within luck are recommended by cost and simplicity, and named") {
    compared_churn some(limit::unlimited, 2);
    // The other one was luckier by 3 % in the median.
    some.set_needs(0, {1000, 1040, 1100, 7});
    some.set_needs(1, {990, 1010, 1090, 7});
    some.set_needs(2, {2000, 2100, 2200, 7});
    const recommendation advice = recommend(some.result, some.chosen);
    REQUIRE(advice.best.who == &entries[0]);
    REQUIRE(advice.equals.size() == 1);
    CHECK(advice.equals.front() == &entries[1]);
    CHECK(advice.sentences[1].find("Equal in memory, within luck or 1 %: best_fit_lifo.") != std::string::npos);
    CHECK(recommendation_json(advice).find("\"equal_within_luck\":[\"best_fit_lifo\"]") != std::string::npos);

    some.set_needs(1, {900, 910, 1000, 7});
    const recommendation other = recommend(some.result, some.chosen);
    CHECK(other.best.who == &entries[1]);
    CHECK(other.equals.empty());

    // Over the whole range, but by at most 1 %.
    some.set_needs(1, {1030, 1030, 1030, 7});
    some.set_needs(0, {1031, 1040, 1041, 7});
    const recommendation close = recommend(some.result, some.chosen);
    CHECK(close.best.who == &entries[0]);
    CHECK(close.equals == std::vector<const manager_entry*>{&entries[1]});
}

}  // namespace hbm::test::luck_tests
