#include "compare/command_line/destination.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "compare/command_line/terminal.hpp"
#include "compare/jobs/progress.hpp"
#include "compare/text/text.hpp"
#include "compare/text/usage_error.hpp"

namespace hbm::compare {

namespace {

/// Paths of the temporary files that an interrupt removes; null: free. A path is here from before the file is made
/// until after it is gone, so that no moment has to be protected.
std::array<std::atomic<const char*>, 8> leftovers;

extern "C" void interrupted(int signal) {
    if (signal == SIGINT && stop_request::take()) return;
    for (const std::atomic<const char*>& path : leftovers)
        if (const char* const known = path) unlink(known);
    std::_Exit(128 + signal);
}

std::string not_written(const std::string& path) {
    return "cannot write " + path + ": " + std::strerror(errno);
}

}  // namespace

void handle_signals() {
    std::signal(SIGINT, interrupted);
    std::signal(SIGTERM, interrupted);
    std::signal(SIGPIPE, SIG_IGN);
}

void destination::open(const std::string& path) {
    if (path.empty() || path == "-") return;
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (std::filesystem::is_directory(status))
        throw usage_error(path + ": found a folder, expected the path of a file");
    const bool exists = std::filesystem::exists(status);
    if (exists && access(path.c_str(), W_OK) != 0) throw usage_error(not_written(path));
    path_ = path;
    if (exists && !std::filesystem::is_regular_file(status)) return;
    // A symbolic link stays; its target is replaced.
    if (const std::filesystem::path target = std::filesystem::weakly_canonical(path, error); !error)
        path_ = target.string();
    temporary_ = path_ + '.' + std::to_string(getpid()) + ".part";
    *std::find(leftovers.begin(), leftovers.end(), nullptr) = temporary_.c_str();
    file_ = std::fopen(temporary_.c_str(), "wb");
    if (file_ == nullptr) throw usage_error(not_written(path));
}

void destination::write(std::string_view text) {
    append(text);
    finish();
}

void destination::append(std::string_view text) {
    std::string escaped;
    if (path_.empty() && isatty(STDOUT_FILENO) != 0) text = escaped = terminal_text(text, true);
    if (file_ == nullptr) file_ = path_.empty() ? stdout : std::fopen(path_.c_str(), "wb");
    check_written(file_ != nullptr && std::fwrite(text.data(), 1, text.size(), file_) == text.size());
}

void destination::finish() {
    if (file_ == nullptr) return;
    check_written(std::fflush(file_) == 0);
    if (path_.empty()) return;
    check_written(std::fclose(std::exchange(file_, nullptr)) == 0);
    if (!temporary_.empty()) check_written(std::rename(temporary_.c_str(), path_.c_str()) == 0);
}

/// A closed pipe, as by `| head`, is no failure: its reader has enough.
void destination::check_written(bool is_written) const {
    if (is_written || (path_.empty() && errno == EPIPE)) return;
    throw run_error(not_written(path_.empty() ? "stdout" : path_));
}

destination::~destination() {
    if (file_ != nullptr && file_ != stdout) std::fclose(file_);
    if (temporary_.empty()) return;
    std::remove(temporary_.c_str());
    *std::find(leftovers.begin(), leftovers.end(), temporary_.c_str()) = nullptr;
}

void deliver(const options& settings, const std::string& text) {
    destination to;
    to.open(settings.output);
    to.write(text);
}

void deliver_text(const options& settings, const std::string& text) {
    deliver(settings, fit_screen(settings, terminal_text(text)));
}

}  // namespace hbm::compare
