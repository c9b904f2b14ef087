#include "compare/run_comparison.hpp"

#include <hbm/explain/filled_text.hpp>

#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/errors.hpp"
#include "compare/command_line/file_options.hpp"
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

/// Prints the notes below the tables on stderr, for formats without a place for them.
void add_notes(const options& settings, const std::vector<scenario>& all) {
    if (settings.quiet || settings.format == output_format::table || settings.format == output_format::md) return;
    for (const scenario& load : all)
        for (const std::string& note : load.notes) print_note(note);
}

/// Gathers the workloads, and shows that it does. Returns the error, or an empty text.
std::string gather(const options& choices, std::vector<scenario>& target, std::vector<std::string>& warnings) {
    progress reading(wants_progress(choices), 0);
    reading.show("reading workloads");
    return gather_workloads(choices, target, warnings);
}

/// Prints that an interrupted result has only the finished workloads. Returns the exit status.
int tell_partial(const options& settings, const partial_result& cut) {
    return print_error(
        filled("interrupted: the result is about {extent}{csv}",
               {{"extent", extent_of(cut)},
                {"csv", settings.format == output_format::csv ? ", which CSV has no place to say" : ""}}),
        exit_status::interrupted);
}

}  // namespace

int run_comparison(const options& settings, const selection& chosen) {
    std::vector<scenario> scenarios;
    std::vector<std::string> warnings;
    if (const std::string problem = gather(settings, scenarios, warnings); !problem.empty())
        return print_error(with_option(settings, problem), exit_status::invalid);
    outputs files(settings);
    if (const std::string problem = files.open(); !problem.empty()) return print_error(problem, exit_status::invalid);
    print_warnings(settings, warnings);
    print_warnings(settings, without_effect(settings, scenarios));
    add_notes(settings, scenarios);
    const stop_request stop;
    std::vector<comparison> compared = compare_all(chosen, scenarios, settings.jobs, wants_progress(settings));
    if (wants_offline(settings, compared)) pack_offline(settings, compared);
    const partial_result reached{.finished = compared.size(), .all = scenarios.size()};
    const std::optional<partial_result> cut = stop_request::is_made() ? std::optional(reached) : std::nullopt;
    if (const int status = files.write(compared, chosen, cut); status != exit_status::done) return status;
    if (stop_request::is_made()) return tell_partial(settings, reached);
    return exit_status::done;
}

}  // namespace hbm::compare
