
#include "compare/read/message/message.hpp"

#include <hbm/explain/words.hpp>

#include <cstdint>
#include <utility>

#include "compare/answers/answers.hpp"
#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/devices.hpp"
#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/json.hpp"
#include "compare/command_line/file_options.hpp"
#include "compare/read/log_file.hpp"
#include "compare/read/message/parts.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

using imported::found_messages;
using imported::reading;

/// Messages of a log, and its sentences on devices.
struct read_answerable {
    found_messages messages;
    std::string devices;
};

reading<read_answerable> read(const std::string& path) {
    const reading<std::string> text = read_log(path);
    if (!text) return text.error();
    reading<found_messages> found = imported::read_messages(path == "-" ? "stdin" : path, *text);
    if (!found) return found.error();
    return read_answerable{std::move(*found), imported::devices_in_words(*text)};
}

/// Returns the error for a file that is not text; empty for a text.
std::string binary_kind_of(const std::string& path) {
    if (path == "-") return {};
    const reading<imported_file> file = read_imported_file(path);
    if (file) return {};
    using imported::file_kind;
    for (const file_kind kind :
         {file_kind::hlo_proto, file_kind::xplane, file_kind::binary, file_kind::packed, file_kind::zip})
        if (file.error().found == imported::kind_name(kind)) return file.error().message();
    return {};
}

/// Module that was given with a message.
struct brought_module {
    std::string path;
    std::string name;
    imported::donation_question question;
    bool is_worth_donating = false;
};

reading<brought_module> read_module_of(const std::string& path) {
    const reading<imported_file> file = read_imported_file(path);
    if (!file) return file.error();
    if (file->kind != imported::file_kind::module)
        return trace::read_error{path, 0, 0, std::string(imported::kind_in_words(file->kind)),
                                 "an HLO module with --message: the program's module_*after_optimizations.txt"};
    const reading<imported::xla::hlo_module> module = imported::xla::read_module(file->text, path);
    if (!module) return module.error();
    imported::donation_question question = imported::xla::donation_question_of(*module);
    const bool is_worth_donating = imported::is_worth_donating(question);
    return brought_module{path, module->name, std::move(question), is_worth_donating};
}

/// Returns a warning if the messages are about programs of other names.
std::string warning_of(const found_messages& all, const std::string& module) {
    std::string others;
    for (const imported::memory_message& each : all.messages)
        for (const std::string& name : imported::program_names(each)) {
            if (imported::is_called(module, name)) return {};
            if (others.find("'" + name + "'") == std::string::npos)
                others += (others.empty() ? "'" : ", '") + name + "'";
        }
    if (others.empty()) return {};
    return imported::wrapped("Warning: the message is about " + others + ", this module is '" + module +
                             "'. The donations below may not apply to the program that failed.");
}

/// Returns the donations that the program of a module allows, and a verdict on whether they can be enough.
std::string donation_of(const brought_module& module, const found_messages& all) {
    std::string text = imported::donation_text(module.question, module.path);
    if (!module.is_worth_donating)
        text = "Donation: " + module.path + " leaves nothing to donate.\n" + text;
    else
        text = module.path + "\n" + text;
    const imported::diagnosis found = imported::diagnose(all.messages.front());
    const std::uint64_t saving = imported::advise_donation(module.question).saved_bytes;
    if (module.is_worth_donating && found.missing && found.missing->low > saving)
        text += imported::wrapped("Note: this saves " + size_in_words(saving) + " of the missing " +
                                  imported::in_words(*found.missing) + ": donation alone is not enough.");
    return warning_of(all, module.name) + text;
}

}  // namespace

std::string answer_message(const std::string& path, const std::string& before, const std::vector<std::string>& beside,
                           output_format format, std::string& answer) {
    const reading<read_answerable> log = read(path);
    if (!log) {
        if (const std::string other = binary_kind_of(path); !other.empty()) return other;
        const std::string option = option_for_import(path);
        return log.error().message() + (option.empty() ? "" : "\n" + option);
    }
    const found_messages& now = log->messages;
    if (now.messages.empty())
        return trace::read_error{path, now.samples.front().line, 1, "measurements, but no message of a failure",
                                 "an out-of-memory message; measurements are for --before and --growth"}
            .message();
    if (format == output_format::json) {
        answer = imported::message_json(now);
        return {};
    }
    reading<read_answerable> earlier = read_answerable{};
    if (!before.empty()) earlier = read(before);
    if (!earlier) return earlier.error().message();
    std::vector<brought_module> modules;
    std::vector<imported::program_beside> programs;
    for (const std::string& each : beside) {
        reading<brought_module> module = read_module_of(each);
        if (!module) return module.error().message();
        programs.push_back({module->name, module->is_worth_donating});
        modules.push_back(std::move(*module));
    }
    std::string text = imported::answers_to(now, before.empty() ? nullptr : &earlier->messages, programs);
    if (!log->devices.empty()) text += "\n" + log->devices;
    for (const brought_module& each : modules) text += "\n" + donation_of(each, now);
    answer = std::move(text);
    return {};
}

}  // namespace hbm::compare
