// What a result says of itself after an interrupt, in each format.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compare/failures/on_oom.hpp"
#include "compare/grid/result.hpp"
#include "compare/managers/selection.hpp"
#include "compare/page/page.hpp"
#include "compare/show/result_text.hpp"

namespace hbm::test::partial_result_tests {

using namespace hbm::compare;

TEST_CASE("after an interrupt every format but CSV says first how much is there") {
    options asked;
    asked.sources = {{.text = "uniform_churn:operations=20", .is_generated = true}};
    asked.managers = {"best_fit", "buddy"};
    chosen_managers chosen;
    choose_managers(asked, {}, chosen);
    std::vector<std::string> warnings;
    const std::vector<scenario> scenarios = gather_workloads(asked, warnings);
    compare::result made{.who = chosen.who, .workloads = compare_all(chosen.who, scenarios, 1, false)};
    const std::string words = "Interrupted: this result is about 4 of 8 workloads.";
    const auto text_in = [&](output_format format) {
        asked.format = format;
        return result_text(asked, made);
    };
    const std::string csv = text_in(output_format::csv);
    for (const output_format each : {output_format::table, output_format::md})
        CHECK(text_in(each).find("nterrupted") == std::string::npos);
    made.cut = {.finished = 4, .all = 8};
    for (const output_format each : {output_format::table, output_format::md}) CHECK(text_in(each).starts_with(words));
    CHECK(text_in(output_format::json)
              .starts_with("{\"schema\":\"hbm-compare/1\",\"interrupted\":{\"finished\":4,\"of\":8},\n\"answer\":"));
    CHECK(text_in(output_format::csv) == csv);
    CHECK(oom_text(made.workloads, chosen.who, explained_managers::all, made.cut) ==
          words + "\n\nNo manager ran out of memory.\n");
    CHECK(oom_json(made.workloads, chosen.who, made.cut) ==
          "{\"schema\":\"hbm-oom/1\",\"interrupted\":{\"finished\":4,\"of\":8},\"failures\":[\n]}\n");
    CHECK(html_page(made).find(json_in_html("\"headline\":\"" + words)) != std::string::npos);
}

}  // namespace hbm::test::partial_result_tests
