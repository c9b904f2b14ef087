#include "compare/compare.hpp"

#include <hbm/version.hpp>

#include <new>
#include <string>

#include "compare/answers/answers.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/errors.hpp"
#include "compare/command_line/options.hpp"
#include "compare/export/viewers.hpp"
#include "compare/managers/manager_list.hpp"
#include "compare/run_comparison.hpp"
#include "compare/tell.hpp"
#include "compare/text/usage_error.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

namespace {

/// The task of a command line.
enum class task : std::uint8_t { help, version, list, message, growth, serve, describe, compare };

task task_of(const options& settings) {
    if (settings.help) return task::help;
    if (settings.version) return task::version;
    if (settings.list) return task::list;
    if (!settings.message.empty()) return task::message;
    if (settings.growth) return task::growth;
    if (!settings.served.empty()) return task::serve;
    if (!settings.described.empty()) return task::describe;
    return task::compare;
}

/// Finds options in conflict, whatever the task. Returns the error, or an empty text.
std::string find_conflict(const options& settings) {
    std::string problem = viewer_files::find_idle(settings);
    if (problem.empty() && !settings.weights.empty() && settings.served.empty())
        problem = "--weights: found no --serve, expected the folder of a dump or a log that it is about";
    return problem;
}

int tell_text(const options& settings, const std::string& text) {
    if (const std::string problem = find_overwritten(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    return deliver_text(settings, text);
}

/// Runs the tasks that take managers.
int run_with_managers(task what, const options& settings, std::span<const manager_entry> own) {
    chosen_managers chosen;
    if (const std::string problem = choose_managers(settings, own, chosen); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (what == task::list) return tell_text(settings, list_text(chosen.who));
    print_warnings(settings, without_effect(settings));
    return run_comparison(settings, chosen.who);
}

int run(options& settings, std::span<const manager_entry> own) {
    const task what = task_of(settings);
    if (what == task::help) return tell_text(settings, help_text(settings.topic));
    if (what == task::version) return tell_text(settings, "hbm_compare " HBM_VERSION_STRING "\n");
    if (what != task::list)
        if (const std::string problem = find_conflict(settings); !problem.empty())
            return print_error(problem, exit_status::invalid);
    switch (what) {
    case task::message: return tell_answer(settings);
    case task::growth: return tell_growth(settings);
    case task::serve: return tell_serving(settings);
    case task::describe: return tell_described(settings);
    default: return run_with_managers(what, settings, own);
    }
}

}  // namespace

int compare_main(int argc, char** argv, std::span<const manager_entry> own, const char* traces) {
    handle_signals();
    try {
        options settings;
        if (const std::string problem = read_options(argc, argv, settings); !problem.empty())
            return print_error(problem, exit_status::invalid);
        settings.traces = traces;
        print_warnings(settings, settings.warnings);
        return run(settings, own);
    } catch (const usage_error& error) {
        return print_error(error.what(), exit_status::invalid);
    } catch (const std::bad_alloc&) {
        return print_error(no_memory, exit_status::failed);
    }
}

}  // namespace hbm::compare
