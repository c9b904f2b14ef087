#include "compare/command_line/destination.hpp"

#include <hbm/explain/filled_text.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>
#include <sys/ioctl.h>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include "compare/command_line/texts.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// The temporary files that an interrupt must remove. Changed only while interrupts are blocked.
char leftovers[16][4096];

extern "C" void interrupted(int signal) {
    if (signal == SIGINT && stop_request::take()) return;
    for (const char* leftover : leftovers)
        if (leftover[0] != '\0') unlink(leftover);
    std::_Exit(128 + signal);
}

/// Scope without interrupts; one that arrives meanwhile is delivered at its end.
class uninterrupted {
public:
    uninterrupted() {
        sigset_t held;
        sigemptyset(&held);
        sigaddset(&held, SIGINT);
        sigaddset(&held, SIGTERM);
        sigprocmask(SIG_BLOCK, &held, &before_);
    }
    ~uninterrupted() { sigprocmask(SIG_SETMASK, &before_, nullptr); }
    uninterrupted(const uninterrupted&) = delete;
    uninterrupted& operator=(const uninterrupted&) = delete;

private:
    sigset_t before_;
};

std::string system_error(const std::string& path) {
    return filled(texts::not_written, {{"file", path}, {"error", std::strerror(errno)}});
}

}  // namespace

void handle_signals() {
    std::signal(SIGINT, interrupted);
    std::signal(SIGTERM, interrupted);
    std::signal(SIGPIPE, SIG_IGN);
}

std::string destination::open(const std::string& path) {
    path_ = path == "-" ? std::string{} : path;
    if (path_.empty()) return {};
    std::error_code ignored;
    const std::filesystem::file_status status = std::filesystem::status(path, ignored);
    if (std::filesystem::is_directory(status)) return filled(texts::found_folder, {{"file", path}});
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
        return access(path.c_str(), W_OK) == 0 ? std::string{} : system_error(path);
    }
    // A symbolic link stays; its target is replaced.
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, ignored);
    if (!ignored) path_ = target.string();
    if (std::filesystem::exists(status) && access(path_.c_str(), W_OK) != 0) return system_error(path);
    std::string beside = path_ + '.' + std::to_string(getpid()) + ".part";
    if (beside.size() >= sizeof leftovers[0]) {
        errno = ENAMETOOLONG;
        return system_error(path);
    }
    const uninterrupted now;
    std::FILE* const file = std::fopen(beside.c_str(), "wb");
    if (file == nullptr) return system_error(path);
    std::fclose(file);
    temporary_ = std::move(beside);
    for (leftover_ = 0; leftovers[leftover_][0] != '\0';) ++leftover_;
    std::memcpy(leftovers[leftover_], temporary_.c_str(), temporary_.size() + 1);
    return {};
}

std::string destination::write(std::string_view text) {
    const uninterrupted now;
    const std::string problem = append(text);
    return problem.empty() ? finish() : problem;
}

std::string destination::append(std::string_view text) {
    std::string escaped;
    if (path_.empty() && isatty(STDOUT_FILENO) != 0) text = escaped = terminal_text(text, true);
    if (file_ == nullptr)
        file_ = path_.empty() ? stdout : std::fopen(temporary_.empty() ? path_.c_str() : temporary_.c_str(), "wb");
    const bool written = file_ != nullptr && std::fwrite(text.data(), 1, text.size(), file_) == text.size();
    return written || has_no_reader() ? std::string{} : not_written();
}

std::string destination::finish() {
    const uninterrupted now;
    std::FILE* const file = std::exchange(file_, nullptr);
    const bool flushed = file != nullptr && std::fflush(file) == 0;
    if (path_.empty()) return flushed || has_no_reader() ? std::string{} : not_written();
    const bool closed = file != nullptr && std::fclose(file) == 0;
    if (!flushed || !closed || (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0))
        return not_written();
    forget_leftover();
    return {};
}

bool destination::has_no_reader() const {
    return path_.empty() && errno == EPIPE;
}

std::string destination::not_written() const {
    return system_error(path_.empty() ? "stdout" : path_);
}

destination::~destination() {
    const uninterrupted now;
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
    if (!temporary_.empty()) std::remove(temporary_.c_str());
    forget_leftover();
}

void destination::forget_leftover() {
    if (temporary_.empty()) return;
    temporary_.clear();
    leftovers[leftover_][0] = '\0';
}

namespace {

/// Returns COLUMNS, or else the width of the terminal; empty without both, and for a file.
std::optional<std::size_t> screen_width(const options& choices) {
    if (!choices.output.empty()) return std::nullopt;
    std::uint64_t columns = 0;
    const char* const given = std::getenv("COLUMNS");
    if (given != nullptr && trace::parse_number(given, columns) && columns != 0) return columns;
    winsize window{};
    if (isatty(STDOUT_FILENO) != 0 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col != 0)
        return window.ws_col;
    return std::nullopt;
}

/// Returns the column at which the words of a line begin: behind blanks, and behind the number of an item (`  1. `) or
/// the figure that they explain (`  6.48G  `).
std::size_t words_begin(std::string_view line) {
    const std::size_t first = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', first), line.size());
    const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
    const std::string_view mark = line.substr(first, end - first);
    const bool is_item =
        mark.size() > 1 && mark.find_first_not_of("0123456789") == mark.size() - 1 && mark.ends_with('.');
    return is_item || next > end + 1 ? next : first;
}

/// Returns the text with the lines of a paragraph joined: those that end because the next word does not fit into
/// `line_width`. Lines with gaps between words are of tables and stay.
std::string join_wrapped(std::string_view text) {
    std::string result;
    std::size_t begin = 0;  // of the words of the paragraph
    std::size_t length = 0;
    bool is_paragraph = false;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        const std::size_t first = words_begin(line);
        const std::string_view words = line.substr(first);
        const std::size_t blank = std::min(words.find(' '), words.size());
        const std::size_t word = words.substr(blank).starts_with(" %") ? blank + 2 : blank;
        const bool is_prose = !words.empty() && words.find("  ") == std::string_view::npos;
        const bool begins_anew = words.starts_with('(') && result.ends_with(".\n");
        if (is_paragraph && is_prose && !begins_anew && first == begin && line.find_first_not_of(' ') == begin &&
            length + 1 + word > imported::line_width) {
            result.back() = ' ';
            result += words;
        } else {
            result += line;
            begin = first;
            is_paragraph = is_prose;
        }
        length = line.size();
        const bool is_ended = line.size() != text.size();
        if (is_ended) result += '\n';
        text.remove_prefix(line.size() + (is_ended ? 1 : 0));
    }
    return result;
}

}  // namespace

std::size_t terminal_width(const options& choices) {
    return screen_width(choices).value_or(120);
}

std::string fit_screen(const options& choices, const std::string& text) {
    constexpr std::size_t least = 20;
    const std::optional<std::size_t> width = screen_width(choices);
    if (!width) return text;
    return fold_lines(*width < imported::line_width ? join_wrapped(text) : text, std::max(*width, least));
}

namespace {

/// A file that is written: its option and path.
using written_file = std::pair<std::string_view, std::string_view>;

std::vector<written_file> outputs_of(const options& choices) {
    std::vector<written_file> result;
    for (const written_file& entry : {written_file{"-o", choices.output}, written_file{"--on-oom", choices.on_oom},
                                      written_file{"--perfetto", choices.perfetto},
                                      written_file{"--series", choices.series}, written_file{"--html", choices.html}})
        if (!entry.second.empty()) result.push_back(entry);
    return result;
}

/// Returns true if `option` may write to stdout next to other output. People may read explanations and then the table;
/// output for programs is alone.
bool may_go_to_stdout(const options& choices, std::string_view option) {
    if (option == "-o") return true;
    const bool is_alone = !choices.output.empty() && choices.output != "-";
    const bool is_for_people = choices.format == output_format::table || choices.format == output_format::md;
    return option == "--on-oom" && (is_alone || is_for_people);
}

/// Returns the input files, each with its role.
std::vector<std::pair<std::string, std::string>> inputs(const options& choices) {
    std::vector<std::pair<std::string, std::string>> result;
    for (const std::vector<program_request>* all : {&choices.programs, &choices.served})
        for (const program_request& entry : *all) {
            result.emplace_back(entry.file, "a file of a program");
            for (const std::string& other : entry.others) result.emplace_back(other, "a file of a program");
        }
    if (!choices.weights.empty()) result.emplace_back(choices.weights, "the weights themselves");
    for (const source& entry : choices.sources)
        if (!entry.is_generated) result.emplace_back(entry.text, "the trace itself");
    for (const std::string& entry : choices.described) result.emplace_back(entry, "a file to be described");
    if (!choices.message.empty()) result.emplace_back(choices.message, "the message itself");
    return result;
}

}  // namespace

bool same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    if (std::filesystem::equivalent(a, b, error)) return true;
    const auto whole = [&](const std::string& path) {
        return std::filesystem::weakly_canonical(std::filesystem::absolute(path, error), error);
    };
    const std::filesystem::path first = whole(a);
    return !first.empty() && first == whole(b);
}

std::string find_overwritten(const options& choices) {
    const std::vector<written_file> written = outputs_of(choices);
    for (const auto& [option, path] : written)
        if (path == "-" && !may_go_to_stdout(choices, option))
            return filled(texts::needs_path, {{"option", std::string(option)}});
    for (auto entry = written.begin(); entry != written.end(); ++entry) {
        const std::string path(entry->second);
        for (const auto& [file, role] : inputs(choices))
            if (same_file(file, path)) return filled(texts::overwritten, {{"file", path}, {"role", role}});
        for (auto other = written.begin(); other != entry; ++other)
            if (same_file(std::string(other->second), path))
                return filled(texts::same_file,
                              {{"first", std::string(other->first)}, {"second", std::string(entry->first)}});
    }
    return {};
}

}  // namespace hbm::compare
