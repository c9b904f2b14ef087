#include "compare/answers/message.hpp"

#include <hbm/explain/words.hpp>

#include "compare/answers/message/answer.hpp"
#include "compare/answers/message/diagnosis.hpp"
#include "compare/read/message/program_names.hpp"
#include "compare/read/message/read.hpp"
#include "compare/read/read_error.hpp"
#include "compare/read/reading.hpp"
#include "compare/read/samples/samples_cells.hpp"
#include "compare/read/xla/donation/donation_text.hpp"
#include "compare/read/xla/module/module_donation.hpp"
#include "compare/read/xla/module/read_module.hpp"
#include "compare/text/byte_range.hpp"
#include "compare/text/wrapped.hpp"
#ifdef HBM_HAVE_ZLIB
#include "compare/text/gzip.hpp"
#endif

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "compare/read/imported_file.hpp"

namespace hbm::compare {

namespace {

using imported::found_messages;
using imported::outcome;

/// More is a log from which somebody cuts out the part that matters.
constexpr std::size_t most_bytes = std::size_t{64} << 20;

/// The bytes of a file, or of stdin.
outcome<std::string> read_log(const std::string& path) {
    const bool is_input = path == "-";
    const std::string name = is_input ? "stdin" : path;
    std::FILE* const file = is_input ? stdin : std::fopen(path.c_str(), "rb");
    const auto refuse = [&](std::string found, std::string expected) {
        if (file != nullptr && !is_input) std::fclose(file);
        return trace::read_error{name, 0, 0, std::move(found), std::move(expected)};
    };
    std::error_code trouble;
    if (!is_input && std::filesystem::is_directory(path, trouble))
        return refuse("a folder", "the path of a file with the message, such as " + path +
                                      (path.ends_with('/') ? "" : "/") + "LOG, or - for stdin");
    if (file == nullptr)
        return refuse(std::string("a file that cannot be read (") + std::strerror(errno) + ")",
                      "the path of a readable file, or - for stdin");
    std::string text;
    std::array<char, 65536> portion;
    while (const std::size_t count = std::fread(portion.data(), 1, portion.size(), file)) {
        text.append(portion.data(), count);
        if (text.size() > most_bytes)
            return refuse("more than " + size_in_words(most_bytes) + " of text",
                          "the part around the message: `grep -n RESOURCE_EXHAUSTED LOG`, or `tail -n 1000 LOG`");
    }
    if (std::ferror(file) != 0) return refuse("a file that cannot be read to its end", "a readable file");
    if (!is_input) std::fclose(file);
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        return trace::read_error{name, 0, 0, "text in UTF-16, as some shells of Windows write it",
                                 "text in UTF-8: iconv -f UTF-16 -t UTF-8 LOG"};
    if (!text.starts_with("\x1f\x8b")) return text;
#ifdef HBM_HAVE_ZLIB
    std::string unpacked;
    if (trace::gunzip_at_most(std::vector<char>(text.begin(), text.end()), unpacked, most_bytes) ==
        trace::unpacking::done)
        return unpacked;
    return trace::read_error{name, 0, 0,
                             "gzip data that is damaged or unpacks to more than " + size_in_words(most_bytes),
                             "a whole gzip file with the part around the message"};
#else
    return trace::read_error{name, 0, 0, "gzip-compressed data",
                             "plain text: this program was built without zlib, so unpack the file first (gunzip)"};
#endif
}

outcome<found_messages> read(const std::string& path) {
    const outcome<std::string> text = read_log(path);
    if (!text) return text.error();
    return imported::read_messages(path == "-" ? "stdin" : path, *text);
}

/// A module beside a message.
struct brought_module {
    std::string path;
    std::string name;
    imported::donation_question question;
    bool is_worth_donating = false;
};

outcome<brought_module> read_module_of(const std::string& path) {
    const outcome<imported_file> file = read_imported_file(path);
    if (!file) return file.error();
    if (file->kind != imported::file_kind::module)
        return trace::read_error{path, 0, 0, std::string(imported::kind_in_words(file->kind)),
                                 "an HLO module beside --message: the program's module_*after_optimizations.txt"};
    const outcome<imported::xla::hlo_module> module = imported::xla::read_module(file->text, path);
    if (!module) return module.error();
    imported::donation_question question = imported::xla::donation_question_of(*module);
    const bool is_worth_donating = imported::is_worth_donating(question);
    return brought_module{path, module->name, std::move(question), is_worth_donating};
}

/// A warning if the messages are about programs of other names.
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
                             "'. What is said of it may not be true of the program that failed.");
}

/// What the program in a module could donate, and whether that can be enough.
std::string donation_of(const brought_module& module, const found_messages& all) {
    std::string text = imported::donation_text(module.question, module.path);
    if (!module.is_worth_donating)
        text = "Donation: " + module.path + " leaves nothing to donate.\n" + text;
    else
        text = module.path + "\n" + text;
    const imported::diagnosis found = imported::diagnose(all.messages.front());
    const std::uint64_t saving = imported::advise_donation(module.question).saved_bytes;
    if (module.is_worth_donating && found.missing && found.missing->low > saving)
        text += imported::wrapped("Note: this saves " + size_in_words(saving) + ", and " +
                                  imported::in_words(*found.missing) + " are missing: donation alone does not do it.");
    return warning_of(all, module.name) + text;
}

/// What to call with `option` for a file that holds `what`.
std::string told(const std::string& path, const char* what, const std::string& option) {
    return path + " holds " + what + ": `hbm_compare " + option + " " + path + "`";
}

/// Which option reads a file of another program than a log; empty for every other file.
std::string option_for_import(const std::string& path) {
    std::error_code trouble;
    if (!std::filesystem::is_regular_file(path, trouble)) return {};
    // This is looked at beside the answer to something else, which it must not hold up.
    const outcome<imported_file> file = read_imported_file(path, most_bytes);
    if (!file) return {};
    switch (file->kind) {
    case imported::file_kind::module:
    case imported::file_kind::assignment:
    case imported::file_kind::report:
    case imported::file_kind::config:
        return told(path, "a program of an XLA dump", "--program");
    case imported::file_kind::profile:
        return told(path, "a memory profile of JAX", "--growth --trace") + " lists who holds what";
    case imported::file_kind::snapshot:
        return told(path, "a memory snapshot of PyTorch", "--growth --trace") +
               " lists who holds what; without --growth managers are compared";
    default:
        return {};
    }
}

}  // namespace

std::string answer_message(const std::string& path, const std::string& before, const std::vector<std::string>& beside,
                           std::string& answer) {
    const outcome<found_messages> now = read(path);
    if (!now) {
        const std::string option = option_for_import(path);
        return now.error().message() + (option.empty() ? "" : "\n" + option);
    }
    if (now->messages.empty())
        return trace::read_error{path, now->samples.front().line, 1, "measurements, but no message of a failure",
                                 "an out-of-memory message; measurements are for --before"}
            .message();
    outcome<found_messages> earlier = found_messages{};
    if (!before.empty()) earlier = read(before);
    if (!earlier) return earlier.error().message();
    std::vector<brought_module> modules;
    std::vector<imported::program_beside> programs;
    for (const std::string& each : beside) {
        outcome<brought_module> module = read_module_of(each);
        if (!module) return module.error().message();
        programs.push_back({module->name, module->is_worth_donating});
        modules.push_back(std::move(*module));
    }
    std::string text = imported::answers_to(*now, before.empty() ? nullptr : &*earlier, programs);
    for (const brought_module& each : modules) text += "\n" + donation_of(each, *now);
    answer = std::move(text);
    return {};
}

std::string option_for_file(const std::string& path) {
    std::error_code trouble;
    if (!std::filesystem::is_regular_file(path, trouble)) return {};
    if (std::string option = option_for_import(path); !option.empty()) return option;
    const outcome<std::string> text = read_log(path);
    if (!text) return {};
    if (imported::looks_like_samples(*text))
        return told(path, "samples of the memory in use, which say whether it grows", "--growth --trace");
    const outcome<found_messages> found = imported::read_messages(path, *text);
    if (found && !found->messages.empty()) return told(path, "an out-of-memory message", "--message");
    if (!found && imported::find_gpu_message(*text) != imported::gpu_message::none) return found.error().message();
    return {};
}

}  // namespace hbm::compare
