#include "compare/command_line/errors.hpp"

#include <cstdio>

#include "compare/text/text.hpp"

namespace hbm::compare {

int print_error(const std::string& message, int status) {
    std::fprintf(stderr, "hbm_compare: %s\n", terminal_text(message).c_str());
    return status;
}

void print_warnings(const options& choices, const std::vector<std::string>& warnings) {
    if (choices.quiet) return;
    for (const std::string& warning : warnings) print_error("warning: " + warning, exit_status::done);
}

void print_note(const std::string& note) {
    print_error("note: " + note, exit_status::done);
}

int deliver(destination& to, const std::string& text) {
    const std::string message = to.write(text);
    return message.empty() ? exit_status::done : print_error(message, exit_status::failed);
}

int deliver(const options& choices, const std::string& text) {
    destination to;
    if (const std::string message = to.open(choices.output); !message.empty())
        return print_error(message, exit_status::invalid);
    return deliver(to, text);
}

int deliver_text(const options& choices, const std::string& text) {
    return deliver(choices, fit_screen(choices, terminal_text(text)));
}

}  // namespace hbm::compare
