#include "compare/command_line/file_options.hpp"

#include <hbm/explain/filled_text.hpp>

#include <filesystem>
#include <string_view>
#include <system_error>

#include "compare/command_line/texts.hpp"
#include "compare/read/log_file.hpp"
#include "compare/read/message/message.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

using imported::reading;

namespace {

/// Option that reads a file, as a sentence, by the content of the file.
struct file_use {
    std::string_view advice;
    bool is_growth = false;
};

constexpr file_use program_file{texts::holds_program};
constexpr file_use profile_file{texts::holds_profile, true};
constexpr file_use samples_file{texts::holds_samples, true};
constexpr file_use message_file{texts::holds_message};

std::string advice(const std::string& path, const file_use& use) {
    return filled(use.advice, {{"file", path}});
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
    case imported::file_kind::assignment: return &program_file;
    case imported::file_kind::profile: return &profile_file;
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
    if (!imported::read_messages(*text).messages.empty()) return &message_file;
    if (imported::find_foreign_message(*text) != nullptr) problem = imported::no_message_in(*text, path).message();
    return nullptr;
}

}  // namespace

std::string with_option(const options& settings, const std::string& message) {
    for (const source& file : settings.sources) {
        if (file.is_generated || !message.starts_with(trace::printable(file.text))) continue;
        std::string problem;
        const file_use* const use = use_of(file.text, problem);
        if (use != nullptr && !(settings.growth && use->is_growth)) problem = advice(file.text, *use);
        if (!problem.empty()) return message + "\n" + problem;
    }
    return message;
}

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
