#include "compare/command_line/file_options.hpp"

#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "compare/read/log_file.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

std::string with_option(const options& settings, const std::string& message) {
    for (const source& file : settings.sources) {
        if (file.is_generated || !message.starts_with(trace::printable(file.text))) continue;
        const std::string known = option_for_file(file.text);
        if (settings.growth && known.find("`hbm_compare --growth ") != std::string::npos) continue;  // same option
        if (!known.empty() && known.find("`hbm_compare --trace ") == std::string::npos) return message + "\n" + known;
    }
    return message;
}

using imported::found_messages;
using imported::reading;

namespace {

/// Content of a file, and the option that reads it.
struct file_use {
    std::string_view what;
    std::string_view option;
    std::string_view more = {};  ///< words about the option
};

constexpr file_use program_file{"a program of an XLA dump", "--program"};
constexpr file_use profile_file{"a memory profile of JAX", "--growth --trace", " lists who holds what"};
constexpr file_use snapshot_file{"a memory snapshot of PyTorch", "--growth --trace",
                                 " lists who holds what; without --growth managers are compared"};
constexpr file_use samples_file{"samples of the memory in use, which say whether it grows", "--growth --trace"};
constexpr file_use message_file{"an out-of-memory message", "--message"};

std::string advice(const std::string& path, const file_use& use) {
    return path + " holds " + std::string(use.what) + ": `hbm_compare " + std::string(use.option) + " " + path + "`" +
           std::string(use.more);
}

bool is_file(const std::string& path) {
    std::error_code error;
    return std::filesystem::is_regular_file(path, error);
}

/// Returns the use of a file of another program; null for others.
const file_use* import_use(const std::string& path) {
    if (!is_file(path)) return nullptr;
    // The limit keeps a huge file from holding up the error message that this advice belongs to.
    const reading<imported_file> file = read_imported_file(path, max_log_bytes);
    if (!file) return nullptr;
    switch (file->kind) {
    case imported::file_kind::module:
    case imported::file_kind::assignment:
    case imported::file_kind::report:
    case imported::file_kind::config: return &program_file;
    case imported::file_kind::profile: return &profile_file;
    case imported::file_kind::snapshot: return &snapshot_file;
    case imported::file_kind::samples: return &samples_file;
    default: return nullptr;
    }
}

/// Returns the use of a file; null for a trace and for unreadable files. `problem` gets the reason if it is a message
/// that no option explains.
const file_use* use_of(const std::string& path, std::string& problem) {
    if (const file_use* const use = import_use(path); use != nullptr || !is_file(path)) return use;
    const reading<std::string> text = read_log(path);
    if (!text) return nullptr;
    const reading<found_messages> match = imported::read_messages(path, *text);
    if (match && !match->messages.empty()) return &message_file;
    if (!match && imported::find_foreign_message(*text) != imported::foreign_message::none)
        problem = match.error().message();
    return nullptr;
}

}  // namespace

std::string option_for_import(const std::string& path) {
    const file_use* const use = import_use(path);
    return use == nullptr ? std::string{} : advice(path, *use);
}

std::string option_for_file(const std::string& path) {
    std::string problem;
    const file_use* const use = use_of(path, problem);
    return use == nullptr ? problem : advice(path, *use);
}

std::vector<std::string> options_of_file(const std::string& path) {
    std::string problem;
    const file_use* const use = use_of(path, problem);
    if (use == &program_file) return {"--program"};
    if (use == &message_file || !problem.empty()) return {"--message"};
    if (use == &profile_file || use == &samples_file) return {"--growth", "--trace"};
    return {"--trace"};
}

}  // namespace hbm::compare
