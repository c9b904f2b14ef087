#include "compare/compare.hpp"

#include <cstdio>
#include <cstdlib>
#include <new>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

#include "compare/describe.hpp"
#include "compare/destination.hpp"
#include "compare/gate.hpp"
#include "compare/grid.hpp"
#include "compare/growth.hpp"
#include "compare/html/page.hpp"
#include "compare/interrupt.hpp"
#include "compare/layout.hpp"
#include "compare/manager_list.hpp"
#include "compare/message.hpp"
#include "compare/numbers.hpp"
#include "compare/on_oom.hpp"
#include "compare/options.hpp"
#include "compare/overwritten.hpp"
#include "compare/recommendation.hpp"
#include "compare/records.hpp"
#include "compare/report.hpp"
#include "compare/screen.hpp"
#include "compare/seed_table.hpp"
#include "compare/selection.hpp"
#include "compare/shard.hpp"
#include "compare/shipped.hpp"
#include "compare/viewers/viewers.hpp"
#include "compare/workloads.hpp"

namespace hbm::compare {

namespace {

constexpr int done = 0;
constexpr int failed = 1;
constexpr int wrong = 2;
constexpr int interrupted = 130;

int complain(const std::string& what, int status) {
    std::fprintf(stderr, "hbm_compare: %s\n", what.c_str());
    return status;
}

void warn(const options& asked, const std::vector<std::string>& all) {
    if (asked.quiet) return;
    for (const std::string& each : all) std::fprintf(stderr, "hbm_compare: warning: %s\n", each.c_str());
}

bool is_set(const char* variable) {
    const char* const value = std::getenv(variable);
    return value != nullptr && *value != '\0';
}

bool wants_colour(const options& asked) {
    if (asked.color != when::automatic) return asked.color == when::always;
    return asked.output.empty() && !is_set("NO_COLOR") && isatty(STDOUT_FILENO) != 0;
}

bool wants_progress(const options& asked) {
    if (asked.quiet) return false;
    return asked.progress == when::automatic ? isatty(STDERR_FILENO) != 0 : asked.progress == when::always;
}

/// What the tables say below themselves, for formats that have no place for it.
void add_notes(const options& asked, const std::vector<scenario>& all) {
    if (asked.quiet || asked.format == output_format::table || asked.format == output_format::md) return;
    for (const scenario& each : all)
        for (const std::string& note : each.notes) std::fprintf(stderr, "hbm_compare: note: %s\n", note.c_str());
}

/// Managers are selected by name, so names must be unique.
std::string find_double(const manager_entries& all) {
    std::set<std::string_view> names;
    for (const manager_entry& each : all)
        if (!names.insert(each.full_name).second)
            return "two managers are called `" + std::string(each.full_name) + "`; give yours another name";
    return {};
}

std::vector<std::string> width_warnings(const std::vector<comparison>& all) {
    std::vector<std::string> made;
    for (const comparison& each : all)
        for (const cell& taken : each.cells)
            if (taken.is_wide) {
                made.push_back(each.in->load.name +
                               ": more than 2^32 - 1 quanta, so 64-bit quanta are used; they take longer");
                break;
            }
    return made;
}

bool has_failed(const std::vector<comparison>& all) {
    for (const comparison& each : all)
        for (const cell& taken : each.cells)
            if (!taken.found.completed) return true;
    return false;
}

std::string result_text(const options& asked, const std::vector<comparison>& all, const selection& who) {
    const bool is_for_people = asked.format == output_format::table || asked.format == output_format::md;
    if (asked.recommend && is_for_people) return recommendation_text(recommend(all, who));
    switch (asked.format) {
    case output_format::json:
        return json_text(
            all_records(all, who),
            {.recommendation = asked.recommend ? recommendation_json(recommend(all, who)) : std::string{}});
    case output_format::csv:
        return csv_text(all_records(all, who));
    case output_format::md:
        return markdown_text(make_report_over_seeds(all, who, {.is_wide = asked.wide}));
    case output_format::table:
        break;
    }
    const report_layout layout{
        .is_wide = asked.wide, .is_brief = !asked.wide && all.size() > 2, .width = width_of_screen(asked)};
    return plain_text(make_report_over_seeds(all, who, layout), wants_colour(asked), layout);
}

int deliver(destination& to, const std::string& text) {
    const std::string problem = to.write(text);
    return problem.empty() ? done : complain(problem, failed);
}

/// What is wrong with a trace, and which option reads the file if it is no trace.
std::string with_option(const options& asked, const std::string& problem) {
    for (const source& each : asked.sources) {
        if (each.is_generated || !problem.starts_with(each.text)) continue;
        const std::string known = option_for_file(each.text);
        if (!known.empty() && known.find("`hbm_compare --trace ") == std::string::npos) return problem + "\n" + known;
    }
    return problem;
}

/// Options beside --message that would do nothing.
std::string find_ignored(const options& asked) {
    const auto beside = [](const char* option) {
        return std::string("--message: found ") + option +
               " beside it, expected only --before, --describe, -o: the answer is text about the message alone";
    };
    if (asked.growth) return beside("--growth");
    if (!asked.layout.empty()) return beside("--layout");
    if (asked.format != output_format::table) return beside("--format");
    for (const source& each : asked.sources) return beside(each.is_generated ? "--workload" : "--trace");
    if (!asked.programs.empty()) return beside("--program");
    if (asked.capacities.front().what != capacity_choice::kind::usual) return beside("--capacity");
    if (!asked.on_oom.empty()) return beside("--on-oom");
    if (!asked.html.empty()) return beside("--html");
    if (!asked.managers.empty()) return beside("--manager");
    for (const std::string& each : asked.warnings)
        if (each.starts_with("--message is given")) return "--message: found it twice, expected it once";
    return {};
}

/// `merge`: takes nothing but shards.
int tell_merged(const options& asked) {
    if (const std::string problem = find_beside_merge(asked); !problem.empty()) return complain(problem, wrong);
    if (const std::string problem = find_overwritten(asked); !problem.empty()) return complain(problem, wrong);
    destination to;
    if (const std::string problem = to.open(asked.output); !problem.empty()) return complain(problem, wrong);
    std::string merged;
    if (const std::string problem = merge_shards(asked, merged); !problem.empty()) return complain(problem, wrong);
    return deliver(to, merged);
}

/// --shard: a part of the rows, as JSON.
int tell_shard(const options& asked, const selection& who) {
    if (const std::string problem = find_beside_shard(asked); !problem.empty()) return complain(problem, wrong);
    if (const std::string problem = find_overwritten(asked); !problem.empty()) return complain(problem, wrong);
    destination to;
    if (const std::string problem = to.open(asked.output); !problem.empty()) return complain(problem, wrong);
    std::string text;
    std::vector<std::string> warnings;
    if (const std::string problem = write_shard(asked, who, wants_progress(asked), text, warnings); !problem.empty())
        return complain(with_option(asked, problem), wrong);
    warn(asked, warnings);
    return deliver(to, text);
}

/// Says on stderr what changed since `before`; the status of the run.
int tell_verdict(const options& asked, const stored_result& before, const std::vector<comparison>& all,
                 const selection& who) {
    verdict found;
    if (const std::string problem = compare_figures(before, all, who, found); !problem.empty())
        return complain(problem, wrong);
    for (const std::string& each : verdict_lines(found, asked.quiet)) complain(each, failed);
    return found.worse.empty() ? done : failed;
}

/// --growth: takes no managers.
int tell_growth(const options& asked) {
    if (asked.format == output_format::csv || asked.format == output_format::md)
        return complain("--growth: found --format csv or md, expected table or json", wrong);
    if (!asked.on_oom.empty())
        return complain("--on-oom: found --growth beside it, expected one of them: nothing fails there", wrong);
    if (const std::string problem = find_beside_growth(asked); !problem.empty()) return complain(problem, wrong);
    if (!asked.html.empty())
        return complain("--html: found --growth beside it, expected one of them: nothing is compared there", wrong);
    if (const std::string problem = find_overwritten(asked); !problem.empty()) return complain(problem, wrong);
    std::vector<growth_summary> judged;
    std::vector<std::string> warnings;
    if (const std::string problem = judge_growth(asked, judged, warnings); !problem.empty())
        return complain(with_option(asked, problem), wrong);
    warn(asked, warnings);
    destination to;
    if (const std::string problem = to.open(asked.output); !problem.empty()) return complain(problem, wrong);
    return deliver(to, asked.format == output_format::json ? growth_json(judged) : growth_text(judged));
}

}  // namespace

namespace {

/// --layout: takes no managers.
int tell_layout(const options& asked) {
    std::string csv;
    std::vector<std::string> warnings;
    if (const std::string problem = write_layout(asked.layout, asked.device, csv, warnings); !problem.empty())
        return complain(problem, wrong);
    if (!asked.output.empty() && same_file(asked.layout, asked.output))
        return complain(asked.output + ": found the snapshot itself, expected a path that may be overwritten", wrong);
    destination to;
    if (const std::string problem = to.open(asked.output); !problem.empty()) return complain(problem, wrong);
    warn(asked, warnings);
    return deliver(to, csv);
}

/// The result ends with the workloads that were finished when the interrupt came.
int tell_partial(const options& asked, std::size_t finished, std::size_t all) {
    return complain("interrupted: the result is about " + std::to_string(finished) + " of " + counted(all, "workload") +
                        (asked.save.empty() ? "" : "; nothing was written to " + asked.save),
                    interrupted);
}

int compare_or_throw(int argc, char** argv, std::span<const manager_entry> own, const char* traces) {
    handle_signals();
    options asked;
    if (const std::string problem = read_options(argc, argv, asked); !problem.empty()) return complain(problem, wrong);
    asked.traces = traces;
    warn(asked, asked.warnings);
    if (!asked.merge.empty() && !asked.help && !asked.version && !asked.list) return tell_merged(asked);
    if (!asked.sweep.empty())
        if (const std::string problem = read_sweep(asked); !problem.empty()) return complain(problem, wrong);

    if (!asked.message.empty() && !asked.help && !asked.version && !asked.list)
        if (const std::string problem = find_ignored(asked); !problem.empty()) return complain(problem, wrong);

    if (!asked.help && !asked.version && !asked.list)
        if (const std::string problem = viewer_files::find_idle(asked); !problem.empty())
            return complain(problem, wrong);
    if (asked.recommend && asked.format == output_format::csv)
        return complain("--recommend: found --format csv, expected table, md or json: CSV has no place for sentences",
                        wrong);
    if (asked.growth && !asked.help && !asked.version && !asked.list) return tell_growth(asked);
    if (!asked.layout.empty() && !asked.help && !asked.version && !asked.list) return tell_layout(asked);

    manager_entries all = shipped_managers();
    all.insert(all.end(), own.begin(), own.end());
    if (const std::string problem = find_double(all); !problem.empty()) return complain(problem, wrong);

    if (asked.list && asked.managers.empty()) asked.managers.emplace_back("*");
    selection who;
    if (const std::string problem = select_managers(asked, all, who); !problem.empty()) return complain(problem, wrong);

    std::vector<scenario> scenarios;
    std::vector<std::string> warnings;
    const bool compares =
        !asked.help && !asked.version && !asked.list && asked.described.empty() && asked.message.empty();
    if (compares && asked.shard != 0) return tell_shard(asked, who);
    stored_result before;
    if (compares && !asked.check.empty())
        if (const std::string problem = read_stored(asked.check, before); !problem.empty())
            return complain(problem, wrong);
    if (compares)
        if (const std::string problem = gather_workloads(asked, scenarios, warnings); !problem.empty())
            return complain(with_option(asked, problem), wrong);

    std::string described;
    if (!asked.described.empty() && asked.message.empty() && !asked.help && !asked.version && !asked.list)
        if (const std::string problem = describe_files(asked.described, described); !problem.empty())
            return complain(problem, wrong);

    if (!asked.before.empty() && asked.message.empty())
        return complain("--before: found no --message, expected the message that it is compared with", wrong);
    if (!asked.message.empty() && !asked.help && !asked.version && !asked.list)
        if (const std::string problem = answer_message(asked.message, asked.before, asked.described, described);
            !problem.empty())
            return complain(problem, wrong);

    if (const std::string problem = find_overwritten(asked); !problem.empty()) return complain(problem, wrong);
    destination to;
    if (const std::string problem = to.open(asked.output); !problem.empty()) return complain(problem, wrong);
    destination explanations;
    if (!asked.on_oom.empty() && compares)
        if (const std::string problem = explanations.open(asked.on_oom); !problem.empty())
            return complain(problem, wrong);
    viewer_files viewers;
    if (compares) {
        std::string problem = viewer_files::find_too_many(asked, who, scenarios.size());
        if (problem.empty()) problem = viewers.open(asked);
        if (!problem.empty()) return complain(problem, wrong);
    }
    destination saved;
    if (!asked.save.empty() && compares)
        if (const std::string problem = saved.open(asked.save); !problem.empty()) return complain(problem, wrong);
    destination page;
    if (!asked.html.empty() && compares)
        if (const std::string problem = page.open(asked.html); !problem.empty()) return complain(problem, wrong);
    if (asked.help) return deliver(to, help_text());
    if (asked.version) return deliver(to, "hbm_compare " HBM_VERSION "\n");
    if (asked.list) return deliver(to, list_text(who));
    if (!asked.described.empty() || !asked.message.empty()) return deliver(to, described);

    warn(asked, warnings);
    add_notes(asked, scenarios);
    const stop_request stop;
    const std::vector<comparison> compared =
        compare_all(who, scenarios, asked.rounds, asked.jobs, wants_progress(asked));
    warn(asked, width_warnings(compared));
    // Written before the result, so that these files exist when the result does.
    if (!asked.on_oom.empty()) {
        const bool as_json = asked.on_oom.ends_with(".json");
        const int status = deliver(explanations, as_json ? oom_json(compared, who, asked.effort)
                                                         : oom_text(compared, who, asked.effort));
        if (status != done) return status;
        if (!asked.quiet && !has_failed(compared))
            std::fprintf(stderr, "hbm_compare: note: no manager ran out of memory, which is all that %s says\n",
                         asked.on_oom.c_str());
    }
    if (const std::string problem = viewers.write(compared, who); !problem.empty()) return complain(problem, failed);
    if (!asked.html.empty())
        if (const int status = deliver(page, html_page(compared, who, asked.effort)); status != done) return status;
    if (!asked.save.empty() && !stop_request::is_made())
        if (const int status = deliver(saved, saved_text(compared, who)); status != done) return status;
    if (const int status = deliver(to, result_text(asked, compared, who)); status != done) return status;
    if (!asked.html.empty() && !asked.quiet && asked.output.empty() && asked.format == output_format::table)
        std::printf("\nThe same as a page for a browser: %s\n", asked.html.c_str());
    if (stop_request::is_made()) return tell_partial(asked, compared.size(), scenarios.size());
    return asked.check.empty() ? done : tell_verdict(asked, before, compared, who);
}

}  // namespace

int compare_main(int argc, char** argv, std::span<const manager_entry> own, const char* traces) {
    try {
        return compare_or_throw(argc, argv, own, traces);
    } catch (const std::bad_alloc&) {
        return complain("the host's memory does not suffice for these traces", failed);
    }
}

}  // namespace hbm::compare
