#include "compare/command_line/destination.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "compare/jobs/interrupt.hpp"
#include "compare/text/terminal_text.hpp"

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

/// Blocks interrupts during its lifetime; an interrupt that arrives meanwhile is delivered at its end.
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
    return path + ": found a file that cannot be written (" + std::strerror(errno) + "), expected a path that can";
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
    if (std::filesystem::is_directory(status)) return path + ": found a folder, expected the path of a file";
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
    return file_ != nullptr && std::fwrite(text.data(), 1, text.size(), file_) == text.size() ? std::string{}
                                                                                              : not_written();
}

std::string destination::finish() {
    const uninterrupted now;
    std::FILE* const file = std::exchange(file_, nullptr);
    const bool flushed = file != nullptr && std::fflush(file) == 0;
    if (path_.empty()) return flushed ? std::string{} : not_written();
    const bool closed = file != nullptr && std::fclose(file) == 0;
    if (!flushed || !closed || (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0))
        return not_written();
    forget_leftover();
    return {};
}

std::string destination::not_written() const {
    return (path_.empty() ? "stdout" : path_) + ": the result could not be written: " + std::strerror(errno);
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

}  // namespace hbm::compare
