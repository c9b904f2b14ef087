#include "compare/result_text.hpp"

#include <cstdlib>
#include <unistd.h>

#include "compare/command_line/destination.hpp"
#include "compare/tables/records.hpp"
#include "compare/tables/report.hpp"
#include "compare/tables/seed_table.hpp"
#include "compare/text/text.hpp"
#include "compare/texts/recommendation.hpp"

namespace hbm::compare {

namespace {

bool is_set(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

bool wants_colour(const options& asked) {
    if (asked.color != when::automatic) return asked.color == when::always;
    return asked.output.empty() && !is_set("NO_COLOR") && isatty(STDOUT_FILENO) != 0;
}

std::string table_text(const options& asked, const std::vector<comparison>& all, const selection& who) {
    const report_layout layout{.is_wide = asked.wide,
                               .is_brief = !asked.wide && grouped_by_seed(all).size() > 2,
                               .width = terminal_width(asked)};
    const bool coloured = wants_colour(asked);
    return terminal_text(plain_text(make_report_over_seeds(all, who, layout), coloured, layout), coloured);
}

}  // namespace

std::string result_text(const options& asked, const std::vector<comparison>& all, const selection& who,
                        const std::optional<partial_result>& cut) {
    const std::string first = cut ? interruption_words(*cut) + "\n\n" : std::string{};
    const bool is_for_people = asked.format == output_format::table || asked.format == output_format::md;
    if (asked.recommend && is_for_people) return first + terminal_text(recommendation_text(recommend(all, who)));
    switch (asked.format) {
    case output_format::json:
        return json_text(all_records(all, who),
                         {.recommendation = asked.recommend ? recommendation_json(recommend(all, who)) : std::string{},
                          .interrupted = cut ? interruption_json(*cut) : std::string{}});
    case output_format::csv:
        return csv_text(all_records(all, who));
    case output_format::md:
        return first + terminal_text(markdown_text(make_report_over_seeds(all, who, {.is_wide = asked.wide})));
    case output_format::table:
        break;
    }
    return first + table_text(asked, all, who);
}

}  // namespace hbm::compare
