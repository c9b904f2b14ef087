#include "compare/destination.hpp"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <unistd.h>

namespace hbm::compare {

namespace {

/// The temporary files that an interrupt must remove. Changed only while interrupts are blocked.
char leftovers[2][4096];

extern "C" void interrupted(int signal) {
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

std::string trouble(const std::string& path) {
    return path + ": found a file that cannot be written (" + std::strerror(errno) + "), expected a path that can";
}

bool write_all(std::FILE* file, std::string_view text) {
    const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
    return std::fflush(file) == 0 && written;
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
        return access(path.c_str(), W_OK) == 0 ? std::string{} : trouble(path);
    }
    // A symbolic link stays; its target is replaced.
    const std::filesystem::path target = std::filesystem::weakly_canonical(path, ignored);
    if (!ignored) path_ = target.string();
    if (std::filesystem::exists(status) && access(path_.c_str(), W_OK) != 0) return trouble(path);
    std::string beside = path_ + '.' + std::to_string(getpid()) + ".part";
    if (beside.size() >= sizeof leftovers[0]) {
        errno = ENAMETOOLONG;
        return trouble(path);
    }
    const uninterrupted now;
    std::FILE* const file = std::fopen(beside.c_str(), "wb");
    if (file == nullptr) return trouble(path);
    std::fclose(file);
    temporary_ = std::move(beside);
    leftover_ = leftovers[0][0] == '\0' ? 0 : 1;
    std::memcpy(leftovers[leftover_], temporary_.c_str(), temporary_.size() + 1);
    return {};
}

std::string destination::write(std::string_view text) {
    const uninterrupted now;
    if (path_.empty())
        return write_all(stdout, text)
                   ? std::string{}
                   : "stdout: the result could not be written: " + std::string(std::strerror(errno));
    std::FILE* const file = std::fopen(temporary_.empty() ? path_.c_str() : temporary_.c_str(), "wb");
    const bool written = file != nullptr && write_all(file, text);
    const bool closed = file != nullptr && std::fclose(file) == 0;
    if (!written || !closed || (!temporary_.empty() && std::rename(temporary_.c_str(), path_.c_str()) != 0))
        return path_ + ": the result could not be written: " + std::strerror(errno);
    forget_leftover();
    return {};
}

destination::~destination() {
    const uninterrupted now;
    if (!temporary_.empty()) std::remove(temporary_.c_str());
    forget_leftover();
}

void destination::forget_leftover() {
    if (temporary_.empty()) return;
    temporary_.clear();
    leftovers[leftover_][0] = '\0';
}

}  // namespace hbm::compare
