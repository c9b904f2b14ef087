#include "compare/answers/answers.hpp"

#include <string>
#include <vector>

#include "compare/command_line/destination.hpp"
#include "compare/command_line/errors.hpp"
#include "compare/command_line/file_options.hpp"
#include "compare/growth/growth.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/workloads.hpp"

namespace hbm::compare {

int tell_growth(const options& asked) {
    if (const std::string problem = find_beside_growth(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    print_warnings(asked, without_effect(asked));
    std::vector<growth_summary> judged;
    std::vector<std::string> warnings;
    if (const std::string problem = judge_growth(asked, judged, warnings); !problem.empty())
        return print_error(with_option(asked, problem), exit_status::invalid);
    print_warnings(asked, warnings);
    return asked.format == output_format::json ? deliver(asked, growth_json(judged))
                                               : deliver_text(asked, growth_text(judged));
}

int tell_layout(const options& asked) {
    std::string csv;
    std::vector<std::string> warnings;
    if (const std::string problem = write_layout(asked.layout, asked.device, csv, warnings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (!asked.output.empty() && same_file(asked.layout, asked.output))
        return print_error(asked.output + ": found the snapshot itself, expected a path that may be overwritten",
                           exit_status::invalid);
    destination to;
    if (const std::string problem = to.open(asked.output); !problem.empty())
        return print_error(problem, exit_status::invalid);
    print_warnings(asked, warnings);
    return deliver(to, csv);
}

int tell_described(const options& asked) {
    std::string text;
    std::vector<std::string> warnings;
    if (const std::string problem = describe_files(asked.described, text, warnings); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    print_warnings(asked, warnings);
    return deliver(asked, text);
}

int tell_answer(const options& asked) {
    if (const std::string problem = find_beside_message(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    print_warnings(asked, without_effect(asked));
    std::string text;
    if (const std::string problem = answer_message(asked, text); !problem.empty())
        return print_error(problem, exit_status::invalid);
    if (const std::string problem = find_overwritten(asked); !problem.empty())
        return print_error(problem, exit_status::invalid);
    return asked.format == output_format::json ? deliver(asked, text) : deliver_text(asked, text);
}

}  // namespace hbm::compare
