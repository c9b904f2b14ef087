
#include "compare/read/message/message.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <system_error>
#include <utility>

#include "compare/answers/answers.hpp"
#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/devices.hpp"
#include "compare/answers/message/diagnosis.hpp"
#include "compare/answers/message/json.hpp"
#include "compare/answers/message/texts.hpp"
#include "compare/command_line/file_options.hpp"
#include "compare/command_line/option_values.hpp"
#include "compare/read/log_file.hpp"
#include "compare/read/message/parts.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/read_trace.hpp"
#include "compare/read/xla/donation/donation_advice.hpp"
#include "compare/read/xla/module/module.hpp"
#include "compare/read/xla/program/program_files.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace texts = imported::message_texts;

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
    imported::donation_question question;  ///< with the arguments that the user donates
    bool has_named = false;                ///< true if there are such arguments
    std::uint64_t saving = 0;              ///< bytes that a run holds less through them
    bool is_worth_donating = false;
};

/// Reads `MODULE` or `MODULE:donate=0+3-5`. Returns the error, or an empty text.
std::string read_module_request(const std::string& text, program_request& request) {
    request.file = text;
    std::error_code error;
    if (std::filesystem::exists(text, error)) return {};
    if (std::string expected = read_program_request(text, request); !expected.empty())
        return filled(texts::no_donation_request, {{"request", trace::quoted(text)}, {"expected", expected}});
    program_request plain;
    plain.text = text;
    plain.file = request.file;
    plain.donation = request.donation;
    plain.donated = request.donated;
    using imported::donation_choice;
    if (request == plain && (request.donation == donation_choice::named || request.donation == donation_choice::all))
        return {};
    return filled(texts::no_module_request, {{"request", trace::quoted(text)}});
}

/// Returns the compiled modules of a dump that are about the program of a message; the largest one if none is.
std::vector<std::string> modules_in(const std::string& folder, const found_messages& messages) {
    std::vector<std::string> named;
    std::string largest;
    std::uintmax_t most = 0;
    for (const std::string& path : dump_files_in(folder)) {
        const std::string file = std::filesystem::path(path).filename().string();
        const auto name = imported::xla::read_dump_name(file);
        if (!name || name->part != imported::xla::dump_part::optimized) continue;
        for (const imported::memory_message& message : messages.messages)
            for (const std::string& program : imported::program_names(message))
                if (imported::is_called(imported::xla::program_name(name->stem), program) &&
                    std::find(named.begin(), named.end(), path) == named.end())
                    named.push_back(path);
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(path, error);
        if (error || size <= most) continue;
        most = size;
        largest = path;
    }
    if (named.empty() && !largest.empty()) named.push_back(largest);
    return named;
}

reading<brought_module> read_module_of(const program_request& request) {
    const std::string& path = request.file;
    const reading<imported_file> file = read_imported_file(path);
    if (!file) return file.error();
    if (file->kind != imported::file_kind::module)
        return trace::read_error{path, 0, 0, std::string(imported::kind_in_words(file->kind)),
                                 "an HLO module with --message: the program's module_*after_optimizations.txt"};
    const reading<imported::xla::hlo_module> module = imported::xla::read_module(file->text, path);
    if (!module) return module.error();
    imported::donation_question question = imported::xla::donation_question_of(*module);
    const std::uint64_t before = imported::advise_donation(question).saved_bytes;
    std::vector<bool> is_taken(question.arguments.size(), false);
    for (const imported::donation_pair& pair : question.aliases) is_taken[pair.argument] = true;
    if (const auto error =
            imported::add_donors(request.donated, question.arguments, std::move(is_taken), question.donors, path))
        return *error;
    if (request.donation == imported::donation_choice::all)
        question = imported::follow(question, imported::advise_donation(question));
    const std::uint64_t saving = before - imported::advise_donation(question).saved_bytes;
    const bool is_worth_donating = imported::is_worth_donating(question);
    return brought_module{
        path,   module->name,     std::move(question), request.donation != imported::donation_choice::as_is,
        saving, is_worth_donating};
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
    return imported::wrapped(filled(texts::other_program, {{"programs", others}, {"module", module}}));
}

/// Returns the donations that the program of a module allows, and a verdict on whether they can be enough.
std::string donation_of(const brought_module& module, const found_messages& all) {
    std::string text = imported::donation_text(module.question, module.path);
    if (!module.is_worth_donating)
        text = filled(texts::nothing_to_donate, {{"module", module.path}}) + text;
    else
        text = module.path + "\n" + text;
    const imported::memory_message& message = all.messages.front();
    const std::optional<imported::byte_range> missing = imported::diagnose(message).missing;
    if (module.has_named)
        text = imported::wrapped(filled(texts::named_donations, {{"saving", size_in_words(module.saving)}})) + text;
    const std::uint64_t saving = saturating_add(module.saving, imported::advise_donation(module.question).saved_bytes);
    const bool is_about_donation = module.has_named || module.is_worth_donating;
    const bool counts_outputs = !message.of_compiler() || imported::lists_whole_program(message);
    if (missing && is_about_donation && (!counts_outputs || missing->low > saving))
        text +=
            imported::wrapped(filled(counts_outputs ? texts::donation_not_enough : texts::outputs_not_missing,
                                     {{"missing", imported::in_words(*missing)}, {"saving", size_in_words(saving)}}));
    return warning_of(all, module.name) + text;
}

}  // namespace

std::string answer_message(const options& settings, std::string& answer) {
    const std::string& path = settings.message;
    const reading<read_answerable> log = read(path);
    if (!log) {
        if (const std::string other = binary_kind_of(path); !other.empty()) return other;
        const std::string option = option_for_import(path);
        return log.error().message() + (option.empty() ? "" : "\n" + option);
    }
    const found_messages& now = log->messages;
    if (now.messages.empty())
        return trace::read_error{path, now.samples.front().line, 1, "measurements, but no message of a failure",
                                 "an out-of-memory message; measurements are for --growth"}
            .message();
    imported::given_facts facts;
    const capacity_choice& capacity = settings.capacities.front();
    if (capacity.what == capacity_choice::kind::given) facts.device = &capacity.device;
    if (settings.format == output_format::json) {
        answer = imported::message_json(now, facts.device);
        return {};
    }
    std::vector<brought_module> modules;
    for (const std::string& each : settings.described) {
        program_request request;
        if (std::string problem = read_module_request(each, request); !problem.empty()) return problem;
        std::vector<std::string> files{request.file};
        std::error_code error;
        if (std::filesystem::is_directory(request.file, error)) files = modules_in(request.file, now);
        if (files.empty()) return no_dump_in(request.file);
        for (const std::string& file : files) {
            request.file = file;
            reading<brought_module> module = read_module_of(request);
            if (!module) return module.error().message();
            facts.programs.push_back({module->name, module->is_worth_donating});
            modules.push_back(std::move(*module));
        }
    }
    std::string text = imported::answers_to(now, facts);
    if (!log->devices.empty()) text += "\n" + log->devices;
    for (const brought_module& each : modules) text += "\n" + donation_of(each, now);
    answer = std::move(text);
    return {};
}

}  // namespace hbm::compare
