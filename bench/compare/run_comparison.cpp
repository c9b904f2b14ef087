#include "compare/run_comparison.hpp"

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <unistd.h>
#include <vector>

#include "compare/command_line/destination.hpp"
#include "compare/command_line/terminal.hpp"
#include "compare/export/viewers.hpp"
#include "compare/failures/on_oom.hpp"
#include "compare/grid/result.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/page/page.hpp"
#include "compare/show/result_text.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

bool wants_progress(const options& settings) {
    if (settings.quiet) return false;
    return settings.progress == when::automatic ? isatty(STDERR_FILENO) != 0 : settings.progress == when::always;
}

/// Gathers the workloads, and shows that it does.
std::vector<scenario> gather(const options& settings, std::vector<std::string>& warnings) {
    progress reading(wants_progress(settings), 0);
    reading.show("reading workloads");
    return gather_workloads(settings, warnings);
}

/// Warns of options that have no effect on these workloads.
void add_idle_options(const options& settings, const std::vector<scenario>& all, std::vector<std::string>& warnings) {
    const auto is_given = [&](std::string_view name) {
        return std::any_of(settings.given.begin(), settings.given.end(),
                           [&](const auto& entry) { return entry.first == name; });
    };
    const auto has = [&](auto condition) { return std::any_of(all.begin(), all.end(), condition); };
    const auto is_generated = [](const scenario& each) { return each.at.what == workload_point::kind::generated; };
    if (is_given("--seed") && !has(is_generated))
        warnings.emplace_back("--seed has no effect: nothing here is generated");
    if (is_given("--device") && !has(is_imported))
        warnings.emplace_back("--device has no effect: no --trace is a profile of several devices");
    if (is_given("--in-flight") && !has([](const scenario& each) { return each.has_programs; }))
        warnings.emplace_back("--in-flight has no effect: nothing here runs programs");
}

/// Prints the notes below the tables on stderr, for formats without a place for them.
void print_notes(const options& settings, const std::vector<scenario>& all) {
    if (settings.quiet || settings.format == output_format::table || settings.format == output_format::md) return;
    for (const scenario& load : all)
        for (const std::string& note : load.notes) print_error("note: " + note);
}

/// Returns true if workloads are to be packed: with `--offline`, or if a single workload of few rows is printed as
/// text, which takes some tenths of a second.
bool wants_offline(const options& settings, const std::vector<comparison>& all) {
    constexpr std::size_t packed_unasked = 10'000;
    if (settings.offline) return true;
    const bool is_text = settings.format == output_format::table || settings.format == output_format::md;
    return all.size() == 1 && is_text && all.front().in->load.rows.size() <= packed_unasked;
}

bool has_failed(const result& of) {
    return std::any_of(of.workloads.begin(), of.workloads.end(), [](const comparison& on) {
        return std::any_of(on.cells.begin(), on.cells.end(), [](const cell& each) { return !each.found.completed; });
    });
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

std::string explanations(const options& asked, const result& of) {
    if (asked.on_oom.ends_with(".json")) return oom_json(of.workloads, of.who, of.cut);
    // A file has everything. Next to a table, only failures of well-known managers.
    const bool is_some = asked.on_oom == "-" && asked.managers.empty();
    const auto whose = is_some ? explained_managers::known : explained_managers::all;
    std::string text = terminal_text(oom_text(of.workloads, of.who, whose, of.cut));
    return asked.on_oom == "-" ? fit_screen(asked, folded_sentences(text)) : text;
}

/// Outputs of a command line. They are opened before the comparison, to find unwritable paths at once.
struct outputs {
    destination table;
    destination explanations;
    destination page;
    viewer_files viewers;
};

void open(outputs& files, const options& asked) {
    files.table.open(asked.output);
    if (!asked.on_oom.empty()) files.explanations.open(asked.on_oom);
    files.viewers.open(asked);
    if (!asked.html.empty()) files.page.open(asked.html);
}

/// Writes everything. Further files come before the table, so that they exist when it does.
void write(outputs& files, const options& asked, const result& of) {
    if (!asked.on_oom.empty()) files.explanations.write(explanations(asked, of));
    if (!asked.on_oom.empty() && asked.on_oom != "-" && !asked.quiet && !has_failed(of))
        print_error("note: no manager ran out of memory, which is all that " + asked.on_oom + " says");
    files.viewers.write(of);
    if (!asked.html.empty()) files.page.write(html_page(of));
    files.table.write(result_text(asked, of));
    if (!asked.html.empty() && asked.output.empty() && asked.format == output_format::table && !asked.quiet)
        std::printf("\nAs a page for a browser: %s\n", terminal_text(asked.html).c_str());
}

}  // namespace

int run_comparison(const options& settings, const selection& chosen) {
    std::vector<std::string> warnings;
    const std::vector<scenario> scenarios = gather(settings, warnings);
    outputs files;
    open(files, settings);
    add_idle_options(settings, scenarios, warnings);
    print_warnings(settings, warnings);
    print_notes(settings, scenarios);
    const stop_request stop;
    result made{.who = chosen};
    made.workloads = compare_all(chosen, scenarios, settings.jobs, wants_progress(settings));
    if (wants_offline(settings, made.workloads)) pack_offline(made.workloads, settings.jobs, settings.offline);
    if (stop_request::is_made()) made.cut = {.finished = made.workloads.size(), .all = scenarios.size()};
    write(files, settings, made);
    if (!made.cut) return exit_status::done;
    print_error("interrupted: the result is about " + extent_of(*made.cut) +
                (settings.format == output_format::csv ? ", which CSV has no place to say" : ""));
    return exit_status::interrupted;
}

}  // namespace hbm::compare
