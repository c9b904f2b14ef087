#include "compare/tell.hpp"

#include <string>
#include <vector>

#include "compare/answers/answers.hpp"
#include "compare/command_line/destination.hpp"
#include "compare/command_line/errors.hpp"
#include "compare/command_line/file_options.hpp"
#include "compare/growth/growth.hpp"
#include "compare/show/show_answer.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

int tell_growth(const options& settings) {
    if (const std::string problem = find_beside_growth(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    print_warnings(settings, without_effect(settings));
    std::vector<growth_summary> judged;
    std::vector<std::string> warnings;
    if (const std::string problem = judge_growth(settings, judged, warnings); !problem.empty())
        return print_error(with_option(settings, problem), exit_status::invalid);
    print_warnings(settings, warnings);
    return settings.format == output_format::json ? deliver(settings, growth_json(judged))
                                                  : deliver_text(settings, growth_text(judged));
}

int tell_described(const options& settings) {
    std::string text;
    std::vector<std::string> warnings;
    if (const std::string problem = describe_files(settings.described, text, warnings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    print_warnings(settings, warnings);
    return deliver(settings, text);
}

int tell_answer(const options& settings) {
    if (const std::string problem = find_beside_message(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    print_warnings(settings, without_effect(settings));
    const std::vector<answer> answers = answer_message(settings);
    if (const std::string problem = find_overwritten(settings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    return settings.format == output_format::json ? deliver(settings, answer_json(answers))
                                                  : deliver_text(settings, answer_text(answers, settings.details));
}

}  // namespace hbm::compare
