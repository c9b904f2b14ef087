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
#include "compare/managers/end_of_plan.hpp"
#include "compare/outputs.hpp"
#include "compare/replay/numbers.hpp"
#include "compare/sweeps/gate.hpp"
#include "compare/sweeps/shard.hpp"
#include "compare/sweeps/stored.hpp"
#include "compare/tables/offline_report.hpp"
#include "compare/verify/verify.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

bool wants_progress(const options& asked) {
    if (asked.quiet) return false;
    return asked.progress == when::automatic ? isatty(STDERR_FILENO) != 0 : asked.progress == when::always;
}

/// Prints the notes below the tables on stderr, for formats without a place for them.
void add_notes(const options& asked, const std::vector<scenario>& all) {
    if (asked.quiet || asked.format == output_format::table || asked.format == output_format::md) return;
    for (const scenario& each : all)
        for (const std::string& note : each.notes) print_note(note);
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
    std::vector<std::string> made;
    for (const comparison& each : all)
        for (const cell& taken : each.cells)
            if (taken.is_wide && taken.found.completed) {
                made.push_back(each.in->title +
                               ": more than 2^32 - 1 quanta, so 64-bit quanta are used; they take longer");
                break;
            }
    return made;
}

/// Reads the figures of --check, if it was given. Returns the error, or an empty text.
std::string read_earlier(const options& asked, stored_result& into) {
    return asked.check.empty() ? std::string{} : read_stored(asked.check, into);
}

/// Prints the changes since the figures of --check to stderr, if it was given. Returns the exit status.
int tell_verdict(const options& asked, const stored_result& before, const std::vector<comparison>& all,
                 const selection& who) {
    if (asked.check.empty()) return exit_status::done;
    verdict found;
    if (const std::string problem = compare_figures(before, all, who, found); !problem.empty())
        return print_error(problem, exit_status::invalid);
    for (const std::string& each : verdict_lines(found, asked.quiet)) print_error(each, exit_status::failed);
    return found.worse.empty() ? exit_status::done : exit_status::failed;
}

/// Prints that an interrupted result has only the finished workloads. Returns the exit status.
int tell_partial(const options& asked, const partial_result& cut) {
    return print_error(filled("interrupted: the result is about {extent}{csv}{save}",
                              {{"extent", extent_of(cut)},
                               {"csv", asked.format == output_format::csv ? ", which CSV has no place to say" : ""},
                               {"save", asked.save.empty() ? "" : "; nothing was written to " + asked.save}}),
                       exit_status::interrupted);
}

/// Returns true if the output is nothing except the rows of the shards.
bool is_rows_alone(const options& asked) {
    if (asked.recommend || asked.wide) return false;
    if (asked.has_format && asked.format != output_format::json && asked.format != output_format::csv) return false;
    for (const std::string options::*beside : {&options::html, &options::on_oom, &options::perfetto, &options::snapshot,
                                               &options::pprof, &options::series, &options::save, &options::check})
        if (!(asked.*beside).empty()) return false;
    return true;
}

int write_merged(merged_comparison& merged) {
    const selection& who = merged.managers.who;
    stored_result before;
    if (const std::string problem = read_earlier(merged.asked, before); !problem.empty())
        return print_error(problem, exit_status::invalid);
    outputs files(merged.asked);
    if (const std::string problem = files.open(who, merged.scenarios.size()); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (wants_offline(merged.asked, merged.compared)) pack_offline(merged.asked, merged.compared);
    if (const int status = files.write(merged.compared, who); status != exit_status::done) return status;
    return tell_verdict(merged.asked, before, merged.compared, who);
}

}  // namespace

int run_comparison(const options& asked, const selection& who) {
    stored_result before;
    if (const std::string problem = read_earlier(asked, before); !problem.empty())
        return print_error(problem, exit_status::invalid);
    std::vector<scenario> scenarios;
    std::vector<std::string> warnings;
    if (const std::string problem = gather(asked, scenarios, warnings); !problem.empty())
        return print_error(with_option(asked, problem), exit_status::invalid);
    outputs files(asked);
    if (const std::string problem = files.open(who, scenarios.size()); !problem.empty())
        return print_error(problem, exit_status::invalid);

    for (const scenario& workload : scenarios)
        if (std::string note = end_of_plan(who, workload); !note.empty()) warnings.push_back(std::move(note));
    print_warnings(asked, warnings);
    print_warnings(asked, without_effect(asked, scenarios));
    add_notes(asked, scenarios);
    const stop_request stop;
    std::vector<comparison> compared =
        compare_all(who, scenarios, rounds_of(asked, scenarios.size()), asked.jobs, wants_progress(asked));
    take_luck(compared, who, asked.variants, asked.jobs, wants_progress(asked));
    if (wants_offline(asked, compared)) pack_offline(asked, compared);
    print_warnings(asked, width_warnings(compared));
    const partial_result reached{.finished = compared.size(),
                                 .all = scenarios.size(),
                                 .is_sweep = are_points_of_a_sweep(scenarios.size(), scenarios.front())};
    const std::optional<partial_result> cut = stop_request::is_made() ? std::optional(reached) : std::nullopt;
    if (const int status = files.write(compared, who, cut); status != exit_status::done) return status;
    if (stop_request::is_made()) return tell_partial(asked, reached);
    if (asked.verify)
        if (const int status = verify(compared, who, asked.quiet); status != exit_status::done) return status;
    return tell_verdict(asked, before, compared, who);
}

int run_shard(const options& asked, const selection& who) {
    if (const std::string problem = find_beside_shard(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    destination to;
    if (const std::string problem = to.open(asked.output); !problem.empty())
        return print_error(problem, exit_status::invalid);
    std::string text;
    std::vector<std::string> warnings;
    if (const std::string problem = write_shard(asked, who, wants_progress(asked), text, warnings); !problem.empty())
        return print_error(with_option(asked, problem), exit_status::invalid);
    print_warnings(asked, warnings);
    return deliver(to, text);
}

int run_merge(const options& asked, std::span<const manager_entry> own) {
    if (const std::string problem = find_beside_merge(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    merged_shards shards;
    if (const std::string problem = read_shards(asked.merge, shards); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (is_rows_alone(asked))
        return deliver(asked, asked.format == output_format::csv ? csv_text(shards.rows) : json_text(shards.rows));
    merged_comparison merged;
    if (const std::string problem = restore(asked, own, shards, merged); !problem.empty())
        return print_error(problem, exit_status::invalid);
    return write_merged(merged);
}

}  // namespace hbm::compare
