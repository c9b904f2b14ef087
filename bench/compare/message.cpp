#include "compare/message.hpp"

#include <hbm/imported/donation_text.hpp>
#include <hbm/imported/message/answer.hpp>
#include <hbm/imported/message/read.hpp>
#include <hbm/imported/outcome.hpp>
#include <hbm/imported/samples_cells.hpp>
#include <hbm/imported/xla/module_donation.hpp>
#include <hbm/imported/xla/read_module.hpp>
#include <hbm/report/words.hpp>
#include <hbm/trace/read_error.hpp>
#ifdef HBM_HAVE_ZLIB
#include <hbm/trace/gzip.hpp>
#endif

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "compare/imported_file.hpp"

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

/// What lies between a program's name in a message, `jit_step`, and in a module, `jit_step.12`, is left away.
std::string_view plain_name(std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    return end != std::string_view::npos && end + 1 < name.size() && name[end] == '.' ? name.substr(0, end) : name;
}

/// Whether a module and the message beside it fit together, and whether donation can be enough.
std::string fit_of(const found_messages& all, std::string_view module, std::uint64_t saving) {
    std::string text;
    bool is_named = false;
    bool is_right = false;
    std::string others;
    for (const imported::memory_message& each : all.messages) {
        if (each.program.empty()) continue;
        is_named = true;
        is_right = is_right || plain_name(each.program) == plain_name(module);
        if (others.find("'" + each.program + "'") == std::string::npos)
            others += (others.empty() ? "'" : ", '") + each.program + "'";
    }
    if (is_named && !is_right)
        text += imported::wrapped("Note: the message is about " + others + ", this module is '" + std::string(module) +
                                  "'. Is it the right one?");
    const imported::diagnosis found = imported::diagnose(all.messages.front());
    if (saving != 0 && found.missing && found.missing->low > saving)
        text += imported::wrapped("Note: this saves " + size_in_words(saving) + ", and " +
                                  imported::in_words(*found.missing) + " are missing: donation alone does not do it.");
    return text;
}

/// What the program in a module could donate.
outcome<std::string> donation_of(const std::string& path, const found_messages& all) {
    const outcome<imported_file> file = read_imported_file(path);
    if (!file) return file.error();
    if (file->kind != imported::file_kind::module)
        return trace::read_error{path, 0, 0, std::string(imported::kind_in_words(file->kind)),
                                 "an HLO module beside --message: the program's module_*after_optimizations.txt"};
    const outcome<imported::xla::hlo_module> module = imported::xla::read_module(file->text, path);
    if (!module) return module.error();
    const imported::donation_question question = imported::xla::donation_question_of(*module);
    const std::string text = imported::donation_text(question);
    const std::string fit = fit_of(all, module->name, imported::advise_donation(question).saved_bytes);
    return (text.empty() ? imported::wrapped("Donation: " + path + " leaves nothing to donate.") : path + "\n" + text) +
           fit;
}

/// What to call with `option` for a file that holds `what`.
std::string told(const std::string& path, const char* what, const std::string& option) {
    return path + " holds " + what + ": `hbm_compare " + option + " " + path + "`";
}

/// Which option reads a file of another program than a log; empty for every other file.
std::string option_for_import(const std::string& path) {
    std::error_code trouble;
    if (!std::filesystem::is_regular_file(path, trouble)) return {};
    const outcome<imported_file> file = read_imported_file(path);
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
    std::string text = imported::answers_to(*now, before.empty() ? nullptr : &*earlier, !beside.empty());
    for (const std::string& each : beside) {
        const outcome<std::string> donation = donation_of(each, *now);
        if (!donation) return donation.error().message();
        text += "\n" + *donation;
    }
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
