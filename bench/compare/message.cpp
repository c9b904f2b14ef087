#include "compare/message.hpp"

#include <hbm/imported/donation_text.hpp>
#include <hbm/imported/message/answer.hpp>
#include <hbm/imported/message/read.hpp>
#include <hbm/imported/outcome.hpp>
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

/// What the program in a module could donate.
outcome<std::string> donation_of(const std::string& path) {
    const outcome<imported_file> file = read_imported_file(path);
    if (!file) return file.error();
    if (file->kind != imported::file_kind::module)
        return trace::read_error{path, 0, 0, "a file of the kind " + std::string(imported::kind_name(file->kind)),
                                 "an HLO module beside --message: the program's module_*optimizations.txt"};
    const outcome<imported::xla::hlo_module> module = imported::xla::read_module(file->text, path);
    if (!module) return module.error();
    const std::string text = imported::donation_text(imported::xla::donation_question_of(*module));
    return text.empty() ? imported::wrapped("Donation: " + path + " leaves nothing to donate.") : path + "\n" + text;
}

}  // namespace

std::string answer_message(const std::string& path, const std::string& before, const std::vector<std::string>& beside,
                           std::string& answer) {
    const outcome<found_messages> now = read(path);
    if (!now) return now.error().message();
    if (now->messages.empty())
        return trace::read_error{path, now->samples.front().line, 1, "measurements, but no message of a failure",
                                 "an out-of-memory message; measurements are for --before"}
            .message();
    outcome<found_messages> earlier = found_messages{};
    if (!before.empty()) earlier = read(before);
    if (!earlier) return earlier.error().message();
    std::string text = imported::answers_to(*now, before.empty() ? nullptr : &*earlier);
    for (const std::string& each : beside) {
        const outcome<std::string> donation = donation_of(each);
        if (!donation) return donation.error().message();
        text += "\n" + *donation;
    }
    answer = std::move(text);
    return {};
}

}  // namespace hbm::compare
