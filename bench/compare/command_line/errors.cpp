#include "compare/command_line/errors.hpp"

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "compare/read/log_file.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/read/samples/samples_cells.hpp"
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

using imported::found_messages;
using imported::reading;

namespace {

/// Returns the sentence for a file with the content `what`, which `option` reads.
std::string advice(const std::string& path, const char* what, const std::string& option) {
    return path + " holds " + what + ": `hbm_compare " + option + " " + path + "`";
}

}  // namespace

std::string option_for_import(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return {};
    // The limit keeps a huge file from holding up the error message that this advice belongs to.
    const reading<imported_file> file = read_imported_file(path, max_log_bytes);
    if (!file) return {};
    switch (file->kind) {
    case imported::file_kind::module:
    case imported::file_kind::assignment:
    case imported::file_kind::report:
    case imported::file_kind::config:
        return advice(path, "a program of an XLA dump", "--program");
    case imported::file_kind::profile:
        return advice(path, "a memory profile of JAX", "--growth --trace") + " lists who holds what";
    case imported::file_kind::snapshot:
        return advice(path, "a memory snapshot of PyTorch", "--growth --trace") +
               " lists who holds what; without --growth managers are compared";
    default:
        return {};
    }
}

std::string option_for_file(const std::string& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) return {};
    if (std::string option = option_for_import(path); !option.empty()) return option;
    const reading<std::string> text = read_log(path);
    if (!text) return {};
    if (imported::looks_like_samples(*text))
        return advice(path, "samples of the memory in use, which say whether it grows", "--growth --trace");
    const reading<found_messages> found = imported::read_messages(path, *text);
    if (found && !found->messages.empty()) return advice(path, "an out-of-memory message", "--message");
    if (!found && imported::find_gpu_message(*text) != imported::gpu_message::none) return found.error().message();
    return {};
}

}  // namespace hbm::compare
