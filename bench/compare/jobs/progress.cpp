#include "compare/jobs/progress.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

#include "compare/text/text.hpp"

namespace hbm::compare {

namespace {

/// Returns the width of the terminal, less one: some terminals break a full line.
std::size_t line_width() {
    winsize window{};
    const bool is_known = ioctl(STDERR_FILENO, TIOCGWINSZ, &window) == 0 && window.ws_col > 1;
    return is_known ? window.ws_col - std::size_t{1} : 79;
}

}  // namespace

std::string progress_line(std::uint64_t percent, std::optional<std::uint64_t> seconds_left, std::string_view words,
                          std::size_t width) {
    constexpr std::size_t bar = 20;
    const std::size_t filled = static_cast<std::size_t>(std::min<std::uint64_t>(percent, 100)) * bar / 100;
    std::string line = "[" + std::string(filled, '#') + std::string(bar - filled, '.') + "] ";
    const std::string number = std::to_string(percent);
    line += std::string(number.size() < 3 ? 3 - number.size() : 0, ' ') + number + " % ";
    if (seconds_left) line += "about " + std::to_string(*seconds_left) + " s left, ";
    line += trace::printable(words);
    line.resize(std::min(line.size(), width));
    return line;
}

void progress::show(std::string_view workload, std::string_view manager) {
    show(std::string(workload) + " under " + std::string(manager));
}

void progress::show(std::string_view words) {
    if (!shown_) return;
    const clock::time_point now = clock::now();
    if (dirty_ && now - last_ < std::chrono::milliseconds(100)) return;
    last_ = now;
    const auto spent =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::milliseconds>(now - begin_).count());
    const std::uint64_t percent = whole_ == 0 ? 0 : std::min<std::uint64_t>(done_ * 100 / whole_, 99);
    std::optional<std::uint64_t> left;
    // An estimate from little work jumps, and one of the last second is never right.
    if (spent > 1000 && done_ * 10 > whole_ && done_ < whole_) left = spent * (whole_ - done_) / done_ / 1000 + 1;
    if (left && *left < 2) left.reset();
    const std::string line = "\r\x1b[K" + progress_line(percent, left, words, line_width());
    std::fwrite(line.data(), 1, line.size(), stderr);
    std::fflush(stderr);
    dirty_ = true;
}

void progress::clear() {
    if (dirty_) std::fputs("\r\x1b[K", stderr);
    dirty_ = false;
}

namespace {

enum class state : int { none, waiting, worthwhile, made };

// A handler of a signal may use nothing that takes a lock.
std::atomic<state> stopping{state::none};
static_assert(std::atomic<state>::is_always_lock_free);

constexpr std::string_view promise =
    "\nhbm_compare: interrupted: what is finished follows when the managers at work are done; "
    "another interrupt ends the program at once\n";

}  // namespace

stop_request::stop_request() {
    stopping = state::waiting;
}

stop_request::~stop_request() {
    stopping = state::none;
}

void stop_request::something_is_finished() noexcept {
    state expected = state::waiting;
    stopping.compare_exchange_strong(expected, state::worthwhile);
}

bool stop_request::is_made() noexcept {
    return stopping == state::made;
}

bool stop_request::take() noexcept {
    state expected = state::worthwhile;
    if (!stopping.compare_exchange_strong(expected, state::made)) return false;
    // Nothing is to be done about a terminal that is gone.
    [[maybe_unused]] const auto ignored = write(STDERR_FILENO, promise.data(), promise.size());
    return true;
}

}  // namespace hbm::compare
