#include "compare/read/message/message.hpp"

#include <hbm/core/bytes.hpp>
#include <hbm/explain/filled_text.hpp>
#include <hbm/explain/words.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "compare/answers/answers.hpp"
#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/diagnosis.hpp"
#include "compare/command_line/file_options.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/read_file.hpp"
#include "compare/read/xla/donation.hpp"
#include "compare/read/xla/module.hpp"
#include "compare/read/xla/program_files.hpp"
#include "compare/text/rounded_size.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"
#include "compare/workloads/programs.hpp"

namespace hbm::compare {

namespace {

using imported::found_messages;

/// Returns the error for a file that is not text; empty for a text.
std::string binary_kind_of(const std::string& path) {
    if (path == "-") return {};
    try {
        (void)read_imported_file(path);
    } catch (const trace::read_error& error) {
        using imported::file_kind;
        for (const file_kind kind : {file_kind::hlo_proto, file_kind::xplane, file_kind::binary, file_kind::packed})
            if (error.found == imported::kind_name(kind)) return error.what();
    }
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

/// Reads `MODULE` or `MODULE:donate=0+3-5`.
program_request module_request(const std::string& text) {
    using imported::donation_choice;
    program_request request;
    request.file = text;
    std::error_code error;
    if (std::filesystem::exists(text, error)) return request;
    request = read_program_request("--describe", text);
    program_request plain;
    plain.text = text;
    plain.file = request.file;
    plain.donation = request.donation;
    plain.donated = request.donated;
    if (!(request == plain) || (request.donation != donation_choice::named && request.donation != donation_choice::all))
        throw usage_error("--describe: found " + trace::quoted(text) +
                          ", expected a module, alone or with donate=all or numbers of arguments such as donate=0+3-5");
    return request;
}

/// Returns true if a module may be about the program of a message.
bool is_about(const found_messages& messages, std::string_view module) {
    for (const imported::memory_message& message : messages.messages)
        for (const std::string& program : imported::program_names(message))
            if (imported::is_called(module, program)) return true;
    return false;
}

/// Returns the compiled modules of a dump that are about the program of a message; the largest one if none is.
std::vector<std::string> modules_in(const std::string& folder, const found_messages& messages) {
    std::vector<std::string> named;
    std::string largest;
    std::uintmax_t most = 0;
    for (const std::string& path : dump_files_in(folder)) {
        const auto name = imported::read_dump_name(std::filesystem::path(path).filename().string());
        if (!name || name->part != imported::dump_part::optimized) continue;
        if (is_about(messages, imported::program_name(name->stem))) named.push_back(path);
        std::error_code error;
        const std::uintmax_t size = std::filesystem::file_size(path, error);
        if (error || size <= most) continue;
        most = size;
        largest = path;
    }
    if (named.empty() && !largest.empty()) named.push_back(largest);
    if (named.empty()) throw usage_error(no_dump_in(folder));
    return named;
}

brought_module read_module_of(const program_request& request) {
    const std::string& path = request.file;
    const imported_file file = read_imported_file(path);
    if (file.kind != imported::file_kind::module)
        throw trace::read_error(path, std::string(imported::kind_in_words(file.kind)),
                                "an HLO module with --message: the program's module_*after_optimizations.txt");
    const imported::hlo_module module = imported::read_module(file.text, path);
    brought_module result{path, module.name, imported::donation_question_of(module)};
    imported::donation_question& question = result.question;
    const std::uint64_t before = imported::advise_donation(question).saved_bytes;
    std::vector<bool> is_taken(question.arguments.size(), false);
    for (const imported::donation_pair& pair : question.aliases) is_taken[pair.argument] = true;
    imported::add_donors(request.donated, question.arguments, std::move(is_taken), question.donors, path);
    if (request.donation == imported::donation_choice::all)
        question = imported::follow(question, imported::advise_donation(question));
    result.saving = before - imported::advise_donation(question).saved_bytes;
    result.has_named = request.donation != imported::donation_choice::as_is;
    result.is_worth_donating = imported::is_worth_donating(question);
    return result;
}

/// Returns the donations that the program of a module allows, and whether they can be enough.
answer donation_answer(const brought_module& module, const found_messages& all) {
    answer result{"donation"};
    const memory_message& message = all.messages.front();
    const diagnosis shortage = diagnose(message);
    const std::uint64_t saving = saturating_add(module.saving, imported::advise_donation(module.question).saved_bytes);
    const bool is_about_donation = module.has_named || module.is_worth_donating;
    result.headline = is_about_donation ? "Donation in " + module.path + ": it saves " + size_in_words(saving) + "."
                                        : "Donation: " + module.path + " leaves nothing to donate.";
    result.facts.push_back({"saved_bytes", {}, {saving, {}, {}}});
    if (!is_about(all, module.name) && !imported::program_names(message).empty())
        result.headline += " But the message is about '" + imported::program_names(message).front() +
                           "', and this module is '" + module.name + "'.";
    if (module.has_named)
        result.notes.push_back(
            {"With the arguments of donate= donated, a run holds " + size_in_words(module.saving) + " less."});
    const bool counts_outputs = !message.of_compiler() || message.kind == message_kind::sizes;
    if (shortage.missing && is_about_donation && !counts_outputs)
        result.notes.push_back({"The missing " + in_words(*shortage.missing) +
                                " leaves outputs out, which come on top: donation saves these."});
    else if (shortage.missing && is_about_donation && shortage.missing->low > saving)
        result.notes.push_back({"That alone is not enough: " + in_words(*shortage.missing) + " is missing."});
    const std::string rows = imported::donation_text(module.question, module.path);
    if (!rows.empty()) result.notes.push_back({rows});
    return result;
}

}  // namespace

std::vector<answer> answer_message(const options& settings) {
    const std::string& path = settings.message;
    const std::string log = read_log(path);
    const found_messages found = imported::read_messages(log);
    if (found.messages.empty()) {
        if (std::vector<answer> measured = answer_log(log); !measured.empty()) return measured;
        const imported::foreign_message* const other_message = imported::find_foreign_message(log);
        if (other_message != nullptr && !other_message->meaning.empty()) {
            answer stated{"message", std::string(other_message->meaning)};
            stated.remedies.push_back({std::string(other_message->remedy)});
            return {std::move(stated)};
        }
        if (const std::string other = binary_kind_of(path); !other.empty()) throw usage_error(other);
        throw usage_error(
            with_advice(imported::no_message_in(log, path == "-" ? "stdin" : path).what(), path, "--message"));
    }
    given_facts facts;
    const capacity_choice& capacity = settings.capacities.front();
    if (capacity.what == capacity_choice::kind::given) facts.device = &capacity.device;
    std::vector<answer> donations;
    for (const std::string& each : settings.described) {
        program_request request = module_request(each);
        std::vector<std::string> files{request.file};
        std::error_code error;
        if (std::filesystem::is_directory(request.file, error)) files = modules_in(request.file, found);
        for (const std::string& file : files) {
            request.file = file;
            const brought_module module = read_module_of(request);
            facts.may_donate = (facts.has_program && facts.may_donate) || module.is_worth_donating;
            facts.has_program = true;
            donations.push_back(donation_answer(module, found));
        }
    }
    std::vector<answer> answers = message_answers(found, facts);
    for (answer& each : donations) answers.push_back(std::move(each));
    return answers;
}

}  // namespace hbm::compare
