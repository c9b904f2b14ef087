#include "compare/compare.hpp"

#include <hbm/version.hpp>

#include <new>
#include <string>

#include "compare/answers/answers.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/errors.hpp"
#include "compare/command_line/options.hpp"
#include "compare/command_line/sweep.hpp"
#include "compare/export/viewers.hpp"
#include "compare/managers/manager_list.hpp"
#include "compare/run_comparison.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

/// The task of a command line.
enum class task : std::uint8_t {
    help,
    version,
    list,
    merge,
    message,
    growth,
    layout,
    serve,
    batch,
    changes,
    describe,
    shard,
    compare
};

task task_of(const options& asked) {
    if (asked.help) return task::help;
    if (asked.version) return task::version;
    if (asked.list) return task::list;
    if (!asked.merge.empty()) return task::merge;
    if (!asked.message.empty()) return task::message;
    if (asked.growth && asked.before.empty()) return task::growth;
    if (!asked.layout.empty()) return task::layout;
    if (!asked.served.empty()) return task::serve;
    if (!asked.batches.empty()) return task::batch;
    if (!asked.before.empty()) return task::changes;
    if (!asked.described.empty()) return task::describe;
    return asked.shard != 0 ? task::shard : task::compare;
}

/// Finds options in conflict, whatever the task. Returns the error, or an empty text.
std::string find_conflict(const options& asked) {
    std::string problem = viewer_files::find_idle(asked);
    if (problem.empty()) problem = find_beside_recommend(asked);
    if (problem.empty() && !asked.weights.empty() && asked.served.empty())
        problem = "--weights: found no --serve, expected the folder of a dump or a log that it is about";
    return problem;
}

int tell_text(const options& asked, const std::string& text) {
    if (const std::string problem = find_overwritten(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    return deliver_text(asked, text);
}

/// Runs the tasks that take managers.
int run_with_managers(task what, const options& asked, std::span<const manager_entry> own) {
    chosen_managers chosen;
    if (const std::string problem = choose_managers(asked, own, chosen); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (what == task::list) return tell_text(asked, list_text(chosen.who));
    print_warnings(asked, without_effect(asked));
    return what == task::shard ? run_shard(asked, chosen.who) : run_comparison(asked, chosen.who);
}

int run(options& asked, std::span<const manager_entry> own) {
    const task what = task_of(asked);
    if (what == task::help) return tell_text(asked, help_text(asked.topic));
    if (what == task::version) return tell_text(asked, "hbm_compare " HBM_VERSION_STRING "\n");
    if (what == task::merge) return run_merge(asked, own);
    if (!asked.sweep.empty())
        if (const std::string problem = read_sweep(asked); !problem.empty())
            return print_error(problem, exit_status::invalid);
    if (what != task::list)
        if (const std::string problem = find_conflict(asked); !problem.empty())
            return print_error(problem, exit_status::invalid);
    switch (what) {
    case task::message: return tell_answer(asked);
    case task::growth: return tell_growth(asked);
    case task::layout: return tell_layout(asked);
    case task::serve: return tell_serving(asked);
    case task::batch: return tell_batch(asked);
    case task::changes: return tell_changes(asked);
    case task::describe: return tell_described(asked);
    default: return run_with_managers(what, asked, own);
    }
}

}  // namespace

int compare_main(int argc, char** argv, std::span<const manager_entry> own, const char* traces) {
    handle_signals();
    try {
        options asked;
        if (const std::string problem = read_options(argc, argv, asked); !problem.empty())
            return print_error(problem, exit_status::invalid);
        asked.traces = traces;
        print_warnings(asked, asked.warnings);
        return run(asked, own);
    } catch (const std::bad_alloc&) {
        return print_error(no_memory, exit_status::failed);
    }
}

}  // namespace hbm::compare
