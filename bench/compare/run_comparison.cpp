#include "compare/run_comparison.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/command_line/terminal.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/outputs.hpp"
#include "compare/tables/offline_report.hpp"
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

}  // namespace

int run_comparison(const options& settings, const selection& chosen) {
    std::vector<std::string> warnings;
    const std::vector<scenario> scenarios = gather(settings, warnings);
    outputs files(settings);
    add_idle_options(settings, scenarios, warnings);
    print_warnings(settings, warnings);
    print_notes(settings, scenarios);
    const stop_request stop;
    std::vector<comparison> compared = compare_all(chosen, scenarios, settings.jobs, wants_progress(settings));
    if (wants_offline(settings, compared)) pack_offline(settings, compared);
    const partial_result reached{.finished = compared.size(), .all = scenarios.size()};
    if (!stop_request::is_made()) {
        files.write(compared, chosen);
        return exit_status::done;
    }
    files.write(compared, chosen, reached);
    print_error("interrupted: the result is about " + extent_of(reached) +
                (settings.format == output_format::csv ? ", which CSV has no place to say" : ""));
    return exit_status::interrupted;
}

}  // namespace hbm::compare
