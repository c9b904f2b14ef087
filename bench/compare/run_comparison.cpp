#include "compare/run_comparison.hpp"

#include <hbm/explain/filled_text.hpp>

#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "compare/cells/grid.hpp"
#include "compare/cells/take_luck.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/errors.hpp"
#include "compare/command_line/file_options.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/managers/timed/end_of_plan.hpp"
#include "compare/outputs.hpp"
#include "compare/sweeps/gate.hpp"
#include "compare/sweeps/shard.hpp"
#include "compare/sweeps/stored.hpp"
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

/// Returns the rounds of timing: none if no output shows a time, as the table of several workloads.
std::optional<std::uint64_t> rounds_of(const options& choices, std::size_t workloads) {
    const bool is_table = choices.format == output_format::table;
    const bool shows_times = !is_table || workloads == 1 || choices.details || choices.wide || !choices.html.empty();
    return choices.rounds || shows_times ? choices.rounds : std::optional<std::uint64_t>{0};
}

std::vector<std::string> width_warnings(const std::vector<comparison>& all) {
    std::vector<std::string> result;
    for (const comparison& compared : all)
        for (const cell& taken : compared.cells)
            if (taken.is_wide && taken.found.completed) {
                result.push_back(compared.in->title +
                                 ": more than 2^32 - 1 quanta, so 64-bit quanta are used; they take longer");
                break;
            }
    return result;
}

/// Reads the figures of --check, if it was given. Returns the error, or an empty text.
std::string read_earlier(const options& settings, stored_result& stored) {
    return settings.check.empty() ? std::string{} : read_stored(settings.check, stored);
}

/// Prints the changes since the figures of --check to stderr, if it was given. Returns the exit status.
int tell_verdict(const options& settings, const stored_result& before, const std::vector<comparison>& all,
                 const selection& chosen) {
    if (settings.check.empty()) return exit_status::done;
    verdict result;
    if (const std::string problem = compare_figures(before, all, chosen, result); !problem.empty())
        return print_error(problem, exit_status::invalid);
    for (const std::string& entry : verdict_lines(result, settings.quiet)) print_error(entry, exit_status::failed);
    return result.worse.empty() ? exit_status::done : exit_status::failed;
}

/// Prints that an interrupted result has only the finished workloads. Returns the exit status.
int tell_partial(const options& settings, const partial_result& cut) {
    return print_error(filled("interrupted: the result is about {extent}{csv}{save}",
                              {{"extent", extent_of(cut)},
                               {"csv", settings.format == output_format::csv ? ", which CSV has no place to say" : ""},
                               {"save", settings.save.empty() ? "" : "; nothing was written to " + settings.save}}),
                       exit_status::interrupted);
}

/// Returns true if the output is nothing except the rows of the shards.
bool is_rows_alone(const options& settings) {
    if (settings.recommend || settings.wide) return false;
    if (settings.has_format && settings.format != output_format::json && settings.format != output_format::csv)
        return false;
    for (const std::string options::*beside : {&options::html, &options::on_oom, &options::perfetto, &options::snapshot,
                                               &options::pprof, &options::series, &options::save, &options::check})
        if (!(settings.*beside).empty()) return false;
    return true;
}

int write_merged(merged_comparison& merged) {
    const selection& chosen = merged.managers.who;
    stored_result before;
    if (const std::string problem = read_earlier(merged.asked, before); !problem.empty())
        return print_error(problem, exit_status::invalid);
    outputs files(merged.asked);
    if (const std::string problem = files.open(chosen, merged.scenarios.size()); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (wants_offline(merged.asked, merged.compared)) pack_offline(merged.asked, merged.compared);
    if (const int status = files.write(merged.compared, chosen); status != exit_status::done) return status;
    return tell_verdict(merged.asked, before, merged.compared, chosen);
}

}  // namespace

int run_comparison(const options& settings, const selection& chosen) {
    stored_result before;
    if (const std::string problem = read_earlier(settings, before); !problem.empty())
        return print_error(problem, exit_status::invalid);
    std::vector<scenario> scenarios;
    std::vector<std::string> warnings;
    if (const std::string problem = gather(settings, scenarios, warnings); !problem.empty())
        return print_error(with_option(settings, problem), exit_status::invalid);
    outputs files(settings);
    if (const std::string problem = files.open(chosen, scenarios.size()); !problem.empty())
        return print_error(problem, exit_status::invalid);

    for (const scenario& workload : scenarios)
        if (std::string note = end_of_plan(chosen, workload); !note.empty()) warnings.push_back(std::move(note));
    print_warnings(settings, warnings);
    print_warnings(settings, without_effect(settings, scenarios));
    add_notes(settings, scenarios);
    const stop_request stop;
    std::vector<comparison> compared =
        compare_all(chosen, scenarios, rounds_of(settings, scenarios.size()), settings.jobs, wants_progress(settings));
    take_luck(compared, chosen, settings.variants, settings.jobs, wants_progress(settings));
    if (wants_offline(settings, compared)) pack_offline(settings, compared);
    print_warnings(settings, width_warnings(compared));
    const partial_result reached{.finished = compared.size(),
                                 .all = scenarios.size(),
                                 .is_sweep = are_points_of_a_sweep(scenarios.size(), scenarios.front())};
    const std::optional<partial_result> cut = stop_request::is_made() ? std::optional(reached) : std::nullopt;
    if (const int status = files.write(compared, chosen, cut); status != exit_status::done) return status;
    if (stop_request::is_made()) return tell_partial(settings, reached);
    return tell_verdict(settings, before, compared, chosen);
}

int run_shard(const options& settings, const selection& chosen) {
    if (const std::string problem = find_beside_shard(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    destination to;
    if (const std::string problem = to.open(settings.output); !problem.empty())
        return print_error(problem, exit_status::invalid);
    std::string text;
    std::vector<std::string> warnings;
    if (const std::string problem = write_shard(settings, chosen, wants_progress(settings), text, warnings);
        !problem.empty())
        return print_error(with_option(settings, problem), exit_status::invalid);
    print_warnings(settings, warnings);
    return deliver(to, text);
}

int run_merge(const options& settings, std::span<const manager_entry> own) {
    if (const std::string problem = find_beside_merge(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    merged_shards shards;
    if (const std::string problem = read_shards(settings.merge, shards); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (is_rows_alone(settings))
        return deliver(settings,
                       settings.format == output_format::csv ? csv_text(shards.rows) : json_text(shards.rows));
    merged_comparison merged;
    if (const std::string problem = restore(settings, own, shards, merged); !problem.empty())
        return print_error(problem, exit_status::invalid);
    return write_merged(merged);
}

}  // namespace hbm::compare
