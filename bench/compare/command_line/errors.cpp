#include "compare/command_line/errors.hpp"

#include <cstdio>

#include "compare/command_line/option_for_file.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

int print_error(const std::string& message, int status) {
    std::fprintf(stderr, "hbm_compare: %s\n", terminal_text(message).c_str());
    return status;
}

void print_warnings(const options& asked, const std::vector<std::string>& warnings) {
    if (asked.quiet) return;
    for (const std::string& warning : warnings) print_error("warning: " + warning, exit_status::done);
}

void print_note(const std::string& note) {
    print_error("note: " + note, exit_status::done);
}

int deliver(destination& to, const std::string& text) {
    const std::string message = to.write(text);
    return message.empty() ? exit_status::done : print_error(message, exit_status::failed);
}

int deliver(const options& asked, const std::string& text) {
    destination to;
    if (const std::string message = to.open(asked.output); !message.empty())
        return print_error(message, exit_status::invalid);
    return deliver(to, text);
}

std::string with_option(const options& asked, const std::string& message) {
    for (const source& file : asked.sources) {
        if (file.is_generated || !message.starts_with(trace::printable(file.text))) continue;
        const std::string known = option_for_file(file.text);
        if (asked.growth && known.find("`hbm_compare --growth ") != std::string::npos) continue;  // same option
        if (!known.empty() && known.find("`hbm_compare --trace ") == std::string::npos) return message + "\n" + known;
    }
    return message;
}

}  // namespace hbm::compare
