#include "compare/compare.hpp"

#include <hbm/version.hpp>

#include <new>
#include <string>
#include <vector>

#include "compare/answers/answers.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/file_options.hpp"
#include "compare/command_line/options.hpp"
#include "compare/command_line/terminal.hpp"
#include "compare/managers/selection.hpp"
#include "compare/run_comparison.hpp"
#include "compare/show/show_answer.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::compare {

namespace {

void tell(const options& settings, const std::vector<answer>& answers, const std::vector<std::string>& warnings = {}) {
    print_warnings(settings, warnings);
    if (settings.format == output_format::json) return deliver(settings, answer_json(answers));
    deliver_text(settings, answer_text(answers, settings.details));
}

void tell_growth(const options& settings) {
    std::vector<std::string> warnings;
    const std::vector<answer> answers = answer_growth(settings, warnings);
    tell(settings, answers, warnings);
}

void tell_serving(const options& settings) {
    std::vector<std::string> warnings;
    const std::vector<answer> answers{answer_serving(settings, warnings)};
    tell(settings, answers, warnings);
}

void tell_described(const options& settings) {
    std::vector<std::string> warnings;
    const std::string text = describe_files(settings.described, warnings);
    print_warnings(settings, warnings);
    deliver(settings, text);
}

/// Does what the command line asks for. Returns the exit status.
int run(const options& settings, std::span<const manager_entry> own) {
    chosen_managers chosen;
    switch (settings.what) {
    case task::help: deliver_text(settings, help_text(settings.topic)); break;
    case task::version: deliver_text(settings, "hbm_compare " HBM_VERSION_STRING "\n"); break;
    case task::message: tell(settings, answer_message(settings)); break;
    case task::growth: tell_growth(settings); break;
    case task::serve: tell_serving(settings); break;
    case task::describe: tell_described(settings); break;
    case task::list:
        choose_managers(settings, own, chosen);
        deliver_text(settings, list_text(chosen.who));
        break;
    case task::compare: choose_managers(settings, own, chosen); return run_comparison(settings, chosen.who);
    }
    return exit_status::done;
}

int fail(const std::string& message, int status) {
    print_error(message);
    return status;
}

}  // namespace

int compare_main(int argc, char** argv, std::span<const manager_entry> own, const char* traces) {
    handle_signals();
    try {
        options settings;
        settings.traces = traces;
        read_options(argc, argv, settings);
        print_warnings(settings, settings.warnings);
        return run(settings, own);
    } catch (const usage_error& error) {
        return fail(error.what(), exit_status::invalid);
    } catch (const run_error& error) {
        return fail(error.what(), exit_status::failed);
    } catch (const std::bad_alloc&) {
        return fail("the host's memory does not suffice for these traces", exit_status::failed);
    }
}

}  // namespace hbm::compare
