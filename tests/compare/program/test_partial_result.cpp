// What a result says of itself after an interrupt, in each format.

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/failures/on_oom.hpp"
#include "compare/managers/manager_list.hpp"
#include "compare/outputs.hpp"
#include "compare/page/page.hpp"

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
    const std::vector<comparison> made = compare_all(chosen.who, scenarios, 1, false);
    const partial_result cut{.finished = 4, .all = 8};
    const std::string words = "Interrupted: this result is about 4 of 8 workloads.";
    for (const output_format each : {output_format::table, output_format::md}) {
        asked.format = each;
        const std::string whole = result_text(asked, made, chosen.who);
        CHECK(whole.find("nterrupted") == std::string::npos);
        CHECK(result_text(asked, made, chosen.who, cut) == words + "\n\n" + whole);
    }
    asked.format = output_format::json;
    CHECK(result_text(asked, made, chosen.who, cut)
              .starts_with("{\"schema\":\"hbm-compare/1\",\"interrupted\":{\"finished\":4,\"of\":8},\n\"rows\":["));
    asked.format = output_format::csv;
    CHECK(result_text(asked, made, chosen.who, cut) == result_text(asked, made, chosen.who));
    CHECK(oom_text(made, chosen.who, explained_managers::all, cut) == words + "\n\nNo manager ran out of memory.\n");
    CHECK(oom_json(made, chosen.who, cut) ==
          "{\"schema\":\"hbm-oom/1\",\"interrupted\":{\"finished\":4,\"of\":8},\"failures\":[\n]}\n");
    const std::string page = html_page(made, chosen.who, cut);
    CHECK(page.find("\"answer\":[\"" + json_in_html(words)) != std::string::npos);
}

}  // namespace hbm::test::partial_result_tests
