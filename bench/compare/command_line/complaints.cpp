#include "compare/command_line/complaints.hpp"

#include <cstdio>

#include "compare/command_line/option_for_file.hpp"
#include "compare/text/for_people.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

int complain(const std::string& what, int status) {
    std::fprintf(stderr, "hbm_compare: %s\n", for_people(what).c_str());
    return status;
}

void warn(const options& asked, const std::vector<std::string>& all) {
    if (asked.quiet) return;
    for (const std::string& each : all) complain("warning: " + each, exit_status::done);
}

void tell_note(const std::string& what) {
    complain("note: " + what, exit_status::done);
}

int deliver(destination& to, const std::string& text) {
    const std::string problem = to.write(text);
    return problem.empty() ? exit_status::done : complain(problem, exit_status::failed);
}

int deliver(const options& asked, const std::string& text) {
    destination to;
    if (const std::string problem = to.open(asked.output); !problem.empty())
        return complain(problem, exit_status::wrong);
    return deliver(to, text);
}

std::string with_option(const options& asked, const std::string& problem) {
    for (const source& each : asked.sources) {
        if (each.is_generated || !problem.starts_with(trace::printable(each.text))) continue;
        const std::string known = option_for_file(each.text);
        if (asked.growth && known.find("`hbm_compare --growth ") != std::string::npos) continue;  // as it was
        if (!known.empty() && known.find("`hbm_compare --trace ") == std::string::npos) return problem + "\n" + known;
    }
    return problem;
}

}  // namespace hbm::compare
