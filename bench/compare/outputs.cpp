#include "compare/outputs.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <unistd.h>

#include "compare/command_line/destination.hpp"
#include "compare/command_line/terminal.hpp"
#include "compare/failures/on_oom.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/page/page.hpp"
#include "compare/tables/records.hpp"
#include "compare/tables/report.hpp"
#include "compare/text/text.hpp"
#include "compare/texts/recommendation.hpp"

namespace hbm::compare {

namespace {

bool has_failed(const std::vector<comparison>& all) {
    for (const comparison& compared : all)
        for (const cell& taken : compared.cells)
            if (!taken.found.completed) return true;
    return false;
}

/// Returns the text with its sentences folded at 80 columns. Headings and drawings of memory stay.
std::string folded_sentences(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(end);
        const bool is_sentence = line.find(' ') != std::string_view::npos && !line.starts_with("== ");
        result += is_sentence ? fold_lines(line, imported::line_width) : std::string(line);
    }
    return result;
}

}  // namespace

outputs::outputs(const options& asked) : asked_(asked) {
    result_.open(asked.output);
    if (!asked.on_oom.empty()) explanations_.open(asked.on_oom);
    viewers_.open(asked);
    if (!asked.html.empty()) page_.open(asked.html);
}

void outputs::write_explanations(const std::vector<comparison>& all, const selection& chosen,
                                 const std::optional<partial_result>& cut) {
    const bool as_json = asked_.on_oom.ends_with(".json");
    // A file has everything. Next to a table, only failures of well-known managers.
    const bool is_some = asked_.on_oom == "-" && asked_.managers.empty();
    const auto whose = is_some ? explained_managers::known : explained_managers::all;
    std::string text = as_json ? oom_json(all, chosen, cut) : terminal_text(oom_text(all, chosen, whose, cut));
    if (asked_.on_oom == "-") text = fit_screen(asked_, folded_sentences(text));
    explanations_.write(text);
    if (!asked_.quiet && asked_.on_oom != "-" && !has_failed(all))
        print_error("note: no manager ran out of memory, which is all that " + asked_.on_oom + " says");
}

void outputs::write(const std::vector<comparison>& all, const selection& chosen,
                    const std::optional<partial_result>& cut) {
    if (!asked_.on_oom.empty()) write_explanations(all, chosen, cut);
    viewers_.write(all, chosen);
    if (!asked_.html.empty()) page_.write(html_page(all, chosen, cut));
    result_.write(result_text(asked_, all, chosen, cut));
    if (!asked_.html.empty() && asked_.output.empty() && asked_.format == output_format::table && !asked_.quiet)
        std::printf("\nAs a page for a browser: %s\n", terminal_text(asked_.html).c_str());
}

namespace {

bool is_set(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

bool wants_colour(const options& settings) {
    if (settings.color != when::automatic) return settings.color == when::always;
    return settings.output.empty() && !is_set("NO_COLOR") && isatty(STDOUT_FILENO) != 0;
}

std::string table_text(const options& settings, const std::vector<comparison>& all, const selection& chosen) {
    const report_layout layout{
        .is_brief = all.size() > 2, .has_details = settings.details, .width = terminal_width(settings)};
    const bool coloured = wants_colour(settings);
    return terminal_text(plain_text(make_report(all, chosen, layout), coloured, layout), coloured);
}

}  // namespace

std::string result_text(const options& settings, const std::vector<comparison>& all, const selection& chosen,
                        const std::optional<partial_result>& cut) {
    const std::string first = cut ? interruption_words(*cut) + "\n\n" : std::string{};
    switch (settings.format) {
    case output_format::json:
        return json_text(all_records(all, chosen), {.interrupted = cut ? interruption_json(*cut) : std::string{}});
    case output_format::csv: return csv_text(all_records(all, chosen));
    case output_format::md:
        return first + terminal_text(markdown_text(make_report(all, chosen, {.has_details = true})));
    case output_format::table: break;
    }
    return fit_screen(settings, first + table_text(settings, all, chosen));
}

}  // namespace hbm::compare
