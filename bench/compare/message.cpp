#include "compare/message.hpp"

#include <hbm/imported/message/answer.hpp>
#include <hbm/imported/message/donors.hpp>
#include <hbm/imported/message/read.hpp>
#include <hbm/imported/outcome.hpp>
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

#include "compare/describe.hpp"

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
    if (trace::gunzip(std::vector<char>(text.begin(), text.end()), unpacked)) return unpacked;
    return trace::read_error{name, 0, 0, "damaged gzip data", "a whole gzip file: check it with gzip -t"};
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
        const outcome<imported::description> program = describe_file(each);
        if (!program) return program.error().message();
        text += "\n" + imported::donations_in_words(*program, each);
    }
    answer = std::move(text);
    return {};
}

}  // namespace hbm::compare
